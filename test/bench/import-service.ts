import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { openDatabase } from '../../shared/db/database.ts';
import { putOrganization } from '../../shared/db/organizations.ts';
import { startTestIssuer } from '../support/test-issuer.ts';
import { startProcess } from './start-process.ts';

/** The service as it runs: API and worker as processes of their own. */
export interface BenchService {
  /** Uploads a form made by `uploadBody` and waits for its 200. */
  importOne(body: Buffer): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the service on a database that is migrated, and a client of it. */
export async function startService(databaseUrl: string, dataDir: string): Promise<BenchService> {
  const issuer = await startTestIssuer();
  const organizationId = randomUUID();
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  await putOrganization(database, {
    id: organizationId,
    tenantId: randomUUID(),
    kind: 'vendor',
    name: 'Bench',
  });
  await database.destroy();
  const environment = {
    PORT: '0',
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    AUTH_ISSUER: issuer.url,
    LOG_LEVEL: 'warn',
    MAX_IMPORTS_PER_MINUTE: '10000000',
  };
  const api = startProcess('api/main.js', environment);
  const worker = startProcess('worker/main.js', environment);
  const port = await api.started;
  await worker.started;
  const token = await issuer.token({ organizations: [{ id: organizationId, roles: ['OrganizationAdmin'] }] });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  const target = `http://127.0.0.1:${port}/api/v8.0/${organizationId}/ImportModuleAsync`;
  return {
    importOne: (body) => upload(target, token, agent, body),
    async stop() {
      agent.destroy();
      await Promise.all([api.stop(), worker.stop()]);
      await issuer.stop();
    },
  };
}

const HEAD =
  '--bench\r\nContent-Disposition: form-data; name="file"; filename="package.zip"\r\nContent-Type: application/zip\r\n\r\n';
const TAIL = '\r\n--bench--\r\n';

/** The form that carries a package. */
export function uploadBody(zip: Buffer): Buffer {
  return Buffer.concat([Buffer.from(HEAD), zip, Buffer.from(TAIL)]);
}

async function upload(target: string, token: string, agent: http.Agent, body: Buffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const request = http.request(target, {
      method: 'POST',
      agent,
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'multipart/form-data; boundary=bench',
        'Content-Length': body.length,
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`import answered ${response.statusCode ?? 0}`));
      });
    });
    request.end(body);
  });
}
