import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { openDatabase } from '../../../../shared/db/database.ts';
import { putOrganization } from '../../../../shared/db/access/organizations.ts';
import { startTestIssuer } from '../../../support/test-issuer.ts';
import { startProcess } from '../start-process.ts';
import { FIXTURE_ACTOR } from '../../../support/fixture-actor.ts';

/** The server that imports are sent to. */
export interface ImportTarget {
  readonly url: string;
  /** Null: no token is needed. */
  readonly token: string | null;
}

/** The running service: each API and each worker is a process of its own. */
export interface BenchService {
  /** Uploads a form made by `uploadBody` and waits for its 200. */
  importOne(body: Buffer): Promise<void>;
  /** Uploads such a form and waits only for its 202. */
  queueOne(body: Buffer): Promise<void>;
  /** Of the first API process. */
  readonly target: ImportTarget;
  /** Of the first API process. */
  readonly origin: string;
  readonly apiPids: readonly number[];
  readonly workerPids: readonly number[];
  /** A token of an administrator of an organization. */
  tokenFor(organizationId: string): Promise<string>;
  /** Stops all workers except this many. */
  keepWorkers(count: number): Promise<void>;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  /** The URL of a migrated database. */
  readonly databaseUrl: string;
  /** Connection settings of the other parts, and overrides of the defaults. */
  readonly settings: Readonly<Record<string, string>>;
  /** The number of processes; one by default. */
  readonly apis?: number;
  readonly workers?: number;
}

/** Starts the service, and a client that calls its API processes in turn. */
export async function startService(options: ServiceOptions): Promise<BenchService> {
  const issuer = await startTestIssuer();
  const organizationId = await addVendor(options.databaseUrl);
  const environment = {
    PORT: '0',
    DATABASE_URL: options.databaseUrl,
    AUTH_ISSUER: issuer.url,
    LOG_LEVEL: 'warn',
    MAX_IMPORTS_PER_MINUTE: '10000000',
    ...options.settings,
  };
  const start = (script: string, count = 1) =>
    Array.from({ length: count }, () => startProcess(script, environment));
  const apis = start('api/main.js', options.apis);
  const workers = start('worker/main.js', options.workers);
  const ports = await Promise.all(apis.map(({ started }) => started));
  await Promise.all(workers.map(({ started }) => started));
  const tokenFor = async (id: string) =>
    issuer.token({ organizations: [{ id, roles: ['OrganizationAdmin'] }] });
  const token = await tokenFor(organizationId);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  const targets = ports.map(
    (port) => `http://127.0.0.1:${port}/api/v8.0/${organizationId}/ImportModuleAsync`,
  );
  let uploads = 0;
  const upload = (body: Buffer, isAsync: boolean) => {
    uploads += 1;
    return send(targets[uploads % targets.length] ?? '', { token, agent, body, isAsync });
  };
  return {
    target: { url: targets[0] ?? '', token },
    origin: `http://127.0.0.1:${ports[0] ?? 0}`,
    tokenFor,
    apiPids: apis.map(({ pid }) => pid),
    workerPids: workers.map(({ pid }) => pid),
    importOne: (body) => upload(body, false),
    queueOne: (body) => upload(body, true),
    async keepWorkers(count) {
      await Promise.all(workers.splice(count).map((worker) => worker.stop()));
    },
    async stop() {
      agent.destroy();
      await Promise.all([...apis, ...workers].map((process) => process.stop()));
      await issuer.stop();
    },
  };
}

async function addVendor(databaseUrl: string): Promise<string> {
  const id = randomUUID();
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  await putOrganization(
    database,
    { id, tenantId: randomUUID(), kind: 'vendor', name: 'Bench' },
    FIXTURE_ACTOR,
  );
  await database.destroy();
  return id;
}

/** The content type of the form that `uploadBody` makes. */
export const UPLOAD_TYPE = 'multipart/form-data; boundary=bench';

const HEAD =
  '--bench\r\nContent-Disposition: form-data; name="file"; filename="package.zip"\r\nContent-Type: application/zip\r\n\r\n';
const TAIL = '\r\n--bench--\r\n';

/** The form that carries a package. */
export function uploadBody(zip: Buffer): Buffer {
  return Buffer.concat([Buffer.from(HEAD), zip, Buffer.from(TAIL)]);
}

interface BenchUpload {
  readonly token: string;
  readonly agent: http.Agent;
  readonly body: Buffer;
  readonly isAsync: boolean;
}

/** @throws Error where the answer is not the expected one */
async function send(target: string, { token, agent, body, isAsync }: BenchUpload): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const request = http.request(target, {
      method: 'POST',
      agent,
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': UPLOAD_TYPE,
        'Content-Length': body.length,
        ...(isAsync && { Prefer: 'respond-async' }),
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === (isAsync ? 202 : 200)) resolve();
        else reject(new Error(`upload answered ${response.statusCode ?? 0}`));
      });
    });
    request.end(body);
  });
}
