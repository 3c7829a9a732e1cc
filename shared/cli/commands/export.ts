import { createHash } from 'node:crypto';
import { open, rename } from 'node:fs/promises';
import process from 'node:process';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { CannotRunError, reasonOf } from '../exit-codes.ts';
import { ProgressLine, sizeOf } from '../progress-line.ts';
import { addServerFlags } from '../server-flags.ts';
import type { ServerFlags } from '../server-flags.ts';
import type { VendorSession } from '../server-session.ts';

interface ExportFlags extends ServerFlags {
  readonly output?: string;
  readonly revision?: string;
  readonly asNew?: true;
}

async function exportModule(moduleId: string, flags: ExportFlags, cli: Cli): Promise<void> {
  const { removedAfter } = await import('../removed-after.ts');
  const { openVendor } = await import('../server-session.ts');
  const session = await openVendor(cli, flags);
  const target = flags.output ?? `${moduleId}.zip`;
  const half = `${target}.${process.pid}.tmp`;
  const progress = new ProgressLine(cli.output);
  await removedAfter(half, async () => {
    try {
      const { body, totalBytes } = await download(session, moduleId, flags);
      const written = await writeBody(body, half, (bytes) => {
        progress.show('receiving', bytes, totalBytes, sizeOf);
      });
      await rename(half, target).catch((error: unknown) => {
        throw new CannotRunError(`Cannot write ${target}: ${reasonOf(error)}.`);
      });
      progress.end();
      cli.output.data(`${target}\n  size     ${written.sizeBytes} bytes\n  sha-256  ${written.sha256}\n`);
    } finally {
      progress.end();
    }
  });
}

async function download(
  { client, organizationId }: VendorSession,
  moduleId: string,
  { revision, asNew }: ExportFlags,
): Promise<{ body: ReadableStream<Uint8Array>; totalBytes: number | null }> {
  const { refusal, unreachable } = await import('../server-answer.ts');
  const query = {
    ...(revision !== undefined && { revision: Number(revision) }),
    ...(asNew === true && { asNew: true }),
  };
  const { data, error, response } = await client
    .GET('/api/v8.0/{orgId}/ExportModuleAsync/{moduleId}', {
      params: { path: { orgId: organizationId, moduleId }, query },
      parseAs: 'stream',
    })
    .catch((cause: unknown) => {
      throw unreachable(cause);
    });
  if (!response.ok) throw refusal(response, error);
  if (!(data instanceof ReadableStream)) throw new CannotRunError('The server sent no package.');
  const length = response.headers.get('content-length');
  return { body: data as ReadableStream<Uint8Array>, totalBytes: length === null ? null : Number(length) };
}

async function writeBody(
  body: ReadableStream<Uint8Array>,
  file: string,
  onBytes: (bytes: number) => void,
): Promise<{ sizeBytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const handle = await open(file, 'wx').catch((error: unknown) => {
    throw new CannotRunError(`Cannot write ${file}: ${reasonOf(error)}.`);
  });
  try {
    for await (const piece of body) {
      hash.update(piece);
      await handle.appendFile(piece);
      sizeBytes += piece.length;
      onBytes(sizeBytes);
    }
    await handle.sync();
  } catch (error) {
    throw new CannotRunError(`The package did not come whole: ${reasonOf(error)}.`);
  } finally {
    await handle.close();
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

/** `modulectl export`: a module as a package that can be imported again. */
export function addExport(program: Command, cli: Cli): void {
  const command = program
    .command('export')
    .summary('fetch a module as a package')
    .description('Fetches a module as a package: the same revision has the same bytes everywhere.')
    .argument('<module>', 'ID of the module')
    .option('-o, --output <file>', 'where to write it (default: <module>.zip)')
    .option('--revision <number>', 'an older revision')
    .option('--as-new', 'without module ID and scope, for another organization');
  addServerFlags(command).action((moduleId: string, flags: ExportFlags) =>
    exportModule(moduleId, flags, cli),
  );
}
