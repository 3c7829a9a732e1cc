// The product of an afternoon's work: an importer of one process that keeps the upload in memory and does everything
// inside the request. It checks little, has no queue and syncs no file. The service is measured next to it.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import AdmZip from 'adm-zip';
import { Ajv } from 'ajv';
import express from 'express';
import multer from 'multer';
import pg from 'pg';

interface Descriptor {
  readonly moduleId?: string | null;
  readonly scope?: string | null;
  readonly moduleVersion?: number;
  readonly translations: readonly {
    readonly languageId: string;
    readonly moduleName: string;
    readonly description?: string;
  }[];
}

interface WrittenFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** Answered by 400. */
class BadPackage extends Error {}

const { DATABASE_URL: connectionString, DATA_DIR: dataDir = '' } = process.env;
const UNIQUE_VIOLATION = '23505';

const TABLES = `
  create table modules (id uuid primary key, scope text unique, version double precision, descriptor jsonb not null,
    created_at timestamptz not null default now());
  create table translations (module_id uuid not null references modules, language_id uuid not null, name text not null,
    description text, primary key (module_id, language_id));
  create table files (module_id uuid not null references modules, path text not null, size_bytes bigint not null,
    sha256 text not null, primary key (module_id, path));`;

const guid = { type: 'string', pattern: '^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' };
const translation = {
  type: 'object',
  required: ['languageId', 'moduleName'],
  properties: {
    languageId: guid,
    moduleName: { type: 'string', minLength: 1 },
    description: { type: 'string' },
  },
};
const moduleFile = { type: 'object', required: ['file'], properties: { file: { type: 'string' } } };
const isDescriptor = new Ajv({ allErrors: true }).compile<Descriptor>({
  type: 'object',
  required: ['schema', 'translations'],
  properties: {
    schema: { const: '1.0' },
    moduleId: { ...guid, nullable: true },
    scope: { type: 'string', nullable: true },
    moduleVersion: { type: 'number' },
    deploymentType: { type: 'integer' },
    translations: { type: 'array', minItems: 1, items: translation },
    moduleFiles: { type: 'array', items: moduleFile },
  },
});

const pool = new pg.Pool({ connectionString });
await pool.query(TABLES);

function readDescriptor(zip: AdmZip): Descriptor {
  const entry = zip.getEntry('moduleSchema.json');
  if (entry === null) throw new BadPackage('there is no moduleSchema.json');
  let value: unknown;
  try {
    value = JSON.parse(entry.getData().toString());
  } catch {
    throw new BadPackage('moduleSchema.json is not JSON');
  }
  if (!isDescriptor(value)) throw new BadPackage(JSON.stringify(isDescriptor.errors));
  return value;
}

async function writeFiles(zip: AdmZip, folder: string): Promise<readonly WrittenFile[]> {
  const files: WrittenFile[] = [];
  for (const entry of zip.getEntries()) {
    if (entry.isDirectory) continue;
    const target = path.resolve(folder, entry.entryName);
    if (!target.startsWith(folder + path.sep)) throw new BadPackage(`${entry.entryName} leads outside`);
    const body = entry.getData();
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, body);
    const sha256 = createHash('sha256').update(body).digest('hex');
    files.push({ path: entry.entryName, sizeBytes: body.length, sha256 });
  }
  return files;
}

async function insertRows(id: string, descriptor: Descriptor, files: readonly WrittenFile[]): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('insert into modules (id, scope, version, descriptor) values ($1, $2, $3, $4)', [
      ...[id, descriptor.scope, descriptor.moduleVersion, descriptor],
    ]);
    for (const { languageId, moduleName, description } of descriptor.translations)
      await client.query('insert into translations values ($1, $2, $3, $4)', [
        ...[id, languageId, moduleName, description],
      ]);
    for (const { path, sizeBytes, sha256 } of files)
      await client.query('insert into files values ($1, $2, $3, $4)', [id, path, sizeBytes, sha256]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

function statusOf(error: unknown): number {
  if (error instanceof BadPackage) return 400;
  return error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION ? 409 : 500;
}

const app = express();
app.get('/livez', (_request, response) => {
  response.send('ok');
});
app.post('/import', multer({ storage: multer.memoryStorage() }).single('file'), async (request, response) => {
  let folder: string | null = null;
  try {
    const zip = new AdmZip(request.file?.buffer);
    const descriptor = readDescriptor(zip);
    const id = descriptor.moduleId ?? randomUUID();
    folder = path.join(dataDir, id);
    const files = await writeFiles(zip, folder);
    await insertRows(id, descriptor, files);
    response.json({ id, files: files.length });
  } catch (error) {
    if (folder !== null) await rm(folder, { recursive: true, force: true });
    response.status(statusOf(error)).json({ error: String(error) });
  }
});
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ listening: (server.address() as AddressInfo).port });
});
process.on('disconnect', () => process.exit(1));
