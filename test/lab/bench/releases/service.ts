import { randomUUID } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { loadCatalogue } from '../../../../shared/catalogue/catalogue.ts';
import { putOrganization } from '../../../../shared/db/access/organizations.ts';
import { openDatabase } from '../../../../shared/db/database.ts';
import { migrate } from '../../../../shared/db/migrate.ts';
import { freePort } from '../../../../shared/local/free-port.ts';
import { ensureDatabase, startPostgres } from '../../../../shared/local/postgres.ts';
import { FIXTURE_ACTOR } from '../../../support/fixture-actor.ts';
import { packageForm } from '../../../support/package-form.ts';
import { samplePackage } from '../../../support/sample-package.ts';
import { startTestIssuer } from '../../../support/test-issuer.ts';
import { startProcess } from '../start-process.ts';

const PROCESSES = 3;

/** An API process, and the origin of applications that it serves. */
export interface ReleaseProcess {
  readonly name: string;
  readonly url: string;
  readonly applications: string;
}

/** API processes on one database, and a module with two revisions that a farmer has installed. */
export interface ReleaseService {
  readonly processes: readonly ReleaseProcess[];
  readonly moduleId: string;
  readonly farmerId: string;
  readonly farmerToken: string;
  readonly key: string;
  /** Releases a revision to everyone, by the first process. */
  release(revision: number): Promise<void>;
  quarantine(): Promise<void>;
  endQuarantine(): Promise<void>;
  stop(): Promise<void>;
}

/** The name of the module in a revision, so that a text and a number of different revisions are noticed. */
export function nameIn(revision: number): string {
  return `Revision ${revision}`;
}

/** Starts them with default settings on PostgreSQL and a directory. */
export async function startReleaseService(folder: string): Promise<ReleaseService> {
  // PostgreSQL may run as another user, who needs access.
  await chmod(folder, 0o755);
  const postgres = await startPostgres(path.join(folder, 'postgres'));
  const databaseUrl = await ensureDatabase(postgres.url, 'releases');
  await migrate(databaseUrl);
  const issuer = await startTestIssuer();
  const environment = {
    PORT: '0',
    DATABASE_URL: databaseUrl,
    DATA_DIR: path.join(folder, 'data'),
    AUTH_ISSUER: issuer.url,
    LOG_LEVEL: 'warn',
    MAX_REQUESTS_PER_MINUTE_PER_KEY: '10000000',
    MAX_REQUESTS_PER_MINUTE_PER_ORGANIZATION: '10000000',
  };
  const worker = startProcess('worker/main.js', environment);
  const apis = await Promise.all(
    Array.from({ length: PROCESSES }, async () => {
      const port = await freePort();
      const started = startProcess('api/main.js', { ...environment, APPS_PORT: String(port) });
      return { started, applications: `http://127.0.0.1:${port}` };
    }),
  );
  const processes = await Promise.all(
    apis.map(async ({ started, applications }, index) => ({
      name: `API ${index + 1}`,
      url: `http://127.0.0.1:${await started.started}/api/v8.0`,
      applications,
    })),
  );
  await worker.started;
  const { vendorId, farmerId } = await addOrganizations(databaseUrl);
  const tokenOf = (id: string) =>
    issuer.token({ subject: id, organizations: [{ id, roles: ['OrganizationAdmin'] }] });
  const vendor = new Client(processes[0]?.url ?? '', await tokenOf(vendorId));
  const farmerToken = await tokenOf(farmerId);
  const moduleId = await importRevisions(vendor, vendorId);
  await new Client(processes[0]?.url ?? '', farmerToken).send(
    'PUT',
    `/${farmerId}/installations/${moduleId}`,
  );
  const client = await vendor.send('POST', `/${vendorId}/registerApiClient/${moduleId}`);
  const operator = new Client(processes[0]?.url ?? '', await issuer.token({ operator: true }));
  const quarantine = `/operations/modules/${moduleId}/quarantine`;
  return {
    ...{ processes, moduleId, farmerId, farmerToken },
    key: String(client['clientSecret']),
    async release(revision) {
      await vendor.send('POST', `/${vendorId}/modules/${moduleId}/revisions/${revision}/release`);
    },
    async quarantine() {
      await operator.send('POST', quarantine, { reason: 'bench' });
    },
    async endQuarantine() {
      await operator.send('DELETE', quarantine);
    },
    async stop() {
      await Promise.all([worker, ...apis.map(({ started }) => started)].map((each) => each.stop()));
      await postgres.stop();
      await issuer.stop();
    },
  };
}

async function addOrganizations(databaseUrl: string): Promise<{ vendorId: string; farmerId: string }> {
  const [vendorId, farmerId, tenantId] = [randomUUID(), randomUUID(), randomUUID()];
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  for (const [id, kind] of [
    [vendorId, 'vendor'],
    [farmerId, 'farmer'],
  ] as const)
    await putOrganization(database, { id, tenantId, kind, name: kind }, FIXTURE_ACTOR);
  await database.destroy();
  return { vendorId, farmerId };
}

async function importRevisions(vendor: Client, vendorId: string): Promise<string> {
  const catalogue = loadCatalogue();
  const dataAreaIds = ['FarmOrganization', 'FarmOrganizationAlerts'].map(
    (key) => catalogue.entry('dataAreas', key)?.id,
  );
  const moduleId = randomUUID();
  for (const revision of [1, 2]) {
    const translations = [{ languageId: catalogue.englishId, moduleName: nameIn(revision) }];
    const descriptor = { moduleId, dataAreaIds, translations };
    await vendor.send(
      'POST',
      `/${vendorId}/ImportModuleAsync`,
      packageForm(samplePackage(catalogue, { descriptor })),
    );
  }
  return moduleId;
}

/** Calls an API process with a token. */
class Client {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** @throws Error where the call fails */
  async send(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const isForm = body instanceof FormData;
    const answer = await fetch(this.#url + path, {
      method,
      headers: {
        Authorization: `Bearer ${this.#token}`,
        ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  }
}
