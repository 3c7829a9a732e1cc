import { randomInt, randomUUID } from 'node:crypto';
import path from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import type { ApiContext } from '../../api/context.ts';
import { openApiContext } from '../../api/open-context.ts';
import { drain, serve } from '../../api/http/server/serve.ts';
import { loadConfig, type Config } from '../../shared/config/config.ts';
import { recheckModule } from '../../shared/registration/recheck-module.ts';
import { createLog } from '../../shared/telemetry/log.ts';
import { type OrganizationKind, putOrganization } from '../../shared/db/access/organizations.ts';
import { runWorker, type RunningWorker } from '../../worker/run-worker.ts';
import { applicationOrigin } from '../../api/applications/application-origins.ts';
import { answerOf } from './answer-of.ts';
import { fetchApplication, type ApplicationRequest } from './fetch-application.ts';
import { callerOf, type Caller, type Who } from './caller.ts';
import { changedConfig, type ConfigChanges } from './changed-config.ts';
import { LogWatch } from './log-watch.ts';
import { undocumented } from './documented-answer.ts';
import { packageForm } from './package-form.ts';
import { startTestIssuer, type TestIssuer, type TokenClaims } from './test-issuer.ts';
import { makeBucket } from './part-servers.ts';
import { storeNamed } from './s3-stores.ts';
import { FIXTURE_ACTOR } from './fixture-actor.ts';

export interface TestAppOptions {
  /** Settings in addition to those of the parts, by their names in the environment. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Limits that no setting changes. */
  readonly config?: ConfigChanges;
  /** Without a worker, imports stay queued. */
  readonly worker?: boolean;
  /** Gets each line of the log. */
  readonly onLog?: (line: string) => void;
}

export interface TestOrganization {
  readonly id: string;
  readonly tenantId: string;
  /** Authorization header of an administrator. */
  readonly admin: string;
  /** Authorization header of a member who is not an administrator. */
  readonly member: string;
}

/** An answer whose body has been read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; an empty object where it is not JSON. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests inspect answers of every shape
  readonly body: any;
}

/** A whole service on a database of its own: the API over HTTP and a worker, in this process. */
export interface TestApp {
  readonly url: string;
  /** The origin of probes and metrics: that of the API without `ADMIN_PORT`. */
  readonly adminUrl: string;
  /** The origin of a module's application for browsers: Node does not find this host. */
  applicationOrigin(moduleId: string): string;
  /** Reads from that origin. An answer has its bytes as they were sent. */
  fetchApplication(moduleId: string, path: string, init?: ApplicationRequest): Promise<Response>;
  readonly config: Config;
  readonly api: ApiContext;
  readonly issuer: TestIssuer;
  /** Every setting that another process needs to join this service. */
  readonly environment: Readonly<Record<string, string>>;
  /** Authorization header for these claims. */
  bearer(claims: TokenClaims): Promise<string>;
  organization(options?: {
    kind?: OrganizationKind;
    tenantId?: string;
    id?: string;
  }): Promise<TestOrganization>;
  /** Calls as an organization's administrator, a module's back end or an operator; or as the bearer of a token. */
  as(who: Who, token?: string | null): Caller;
  /** A call whose answer must be as `/openapi.json` documents it. */
  fetch(path: string, init?: RequestInit): Promise<Answer>;
  /** Uploads a package as an administrator of the organization, and has what depends on the module checked. */
  importPackage(organization: TestOrganization, zip: Buffer, options?: ImportOptions): Promise<Answer>;
  startWorker(): Promise<RunningWorker>;
  /** Stops it. @throws Error where its log contains a secret */
  stop(): Promise<void>;
}

export interface ImportOptions {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Longer than any test: a request gets its connection and its locks, whatever the pace of the machine. Tests of these times
 * set shorter ones.
 */
const PATIENT = { waitSeconds: 60, lockSeconds: 60 };

export async function startTestApp({
  settings = {},
  config: changes = {},
  worker = true,
  onLog,
}: TestAppOptions = {}): Promise<TestApp> {
  const issuer = await startTestIssuer();
  const environment = await makeEnvironment(issuer, settings);
  const database = { ...PATIENT, ...changes.database };
  const config = changedConfig(loadConfig(environment), { ...changes, database });
  const logs = new LogWatch(onLog);
  const api = await openApiContext(config, createLog('api', 'trace', logs));
  const serving = await serve(api);
  const url = `http://127.0.0.1:${serving.port}`;
  const workers: RunningWorker[] = [];
  const bearer = async (claims: TokenClaims) => `Bearer ${await issuer.token(claims)}`;
  const call = async (target: string, init?: RequestInit) => {
    const address = new URL(target, url);
    const answer = await answerOf(fetch(address, init));
    const issues = undocumented(init?.method ?? 'GET', address.pathname, answer);
    if (issues.length > 0) throw new Error(`not as /openapi.json documents it: ${issues.join('; ')}`);
    return answer;
  };
  const app: TestApp = {
    url,
    adminUrl: `http://127.0.0.1:${serving.adminPort ?? serving.port}`,
    applicationOrigin: (moduleId) => applicationOrigin(serving.applications?.origins ?? '', moduleId),
    fetchApplication: (moduleId, target, init) =>
      fetchApplication(app.applicationOrigin(moduleId), target, init),
    config,
    api,
    issuer,
    environment,
    bearer,
    as: (who, token) => callerOf(app, who, token),
    fetch: call,
    async organization({ kind = 'vendor', tenantId = randomUUID(), id = randomUUID() } = {}) {
      await putOrganization(api.database, { id, tenantId, kind, name: `${kind} ${id}` }, FIXTURE_ACTOR);
      const admin = await bearer({ organizations: [{ id, roles: ['OrganizationAdmin'] }] });
      const member = await bearer({ organizations: [{ id, roles: ['OrganizationMember'] }] });
      return { id, tenantId, admin, member };
    },
    async importPackage(organization, zip, { query = '', headers = {} } = {}) {
      const answer = await call(`/api/v8.0/${organization.id}/ImportModuleAsync${query}`, {
        method: 'POST',
        headers: { Authorization: organization.admin, ...headers },
        body: packageForm(zip),
      });
      // The answer may be sent before the rules and installations of the module are checked against the revision.
      if (answer.status === 200 && answer.body.revision > 1)
        await recheckModule(api.database, String(answer.body.moduleId));
      return answer;
    },
    async startWorker() {
      const started = await runWorker(config, createLog('worker', 'trace', logs));
      workers.push(started);
      return started;
    },
    async stop() {
      await drain(serving, api, { delayMs: 0, finishMs: 1_000 });
      for (const running of workers) await running.stop();
      await api.close();
      await issuer.stop();
      logs.check();
    },
  };
  if (worker) await app.startWorker();
  return app;
}

async function makeEnvironment(
  issuer: TestIssuer,
  settings: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const redisUrl = inject('redisUrl');
  const s3Endpoint = inject('s3Endpoint');
  const s3Store = inject('s3Store');
  return {
    PORT: '0',
    APPS_PORT: '0',
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent',
    WORKER_CONCURRENCY: '8',
    // Tests send in a second what people and scripts send in a minute.
    MAX_REQUESTS_PER_SECOND_PER_ORGANIZATION: '1000000',
    DATA_DIR: path.join(inject('scratch'), randomUUID()),
    DATABASE_URL: settings['DATABASE_URL'] ?? (await cloneDatabase()),
    AUTH_ISSUER: issuer.url,
    ...(redisUrl !== null && { REDIS_URL: `${redisUrl}/${randomInt(1_000_000)}` }),
    ...(s3Endpoint !== null &&
      s3Store !== null &&
      (await makeBucket(s3Endpoint, storeNamed(s3Store).settings))),
    ...settings,
  };
}

/** A database of its own for one test file, as a URL. */
export async function cloneDatabase(): Promise<string> {
  const templateUrl = inject('templateUrl');
  const admin = new URL('/postgres', templateUrl);
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client({ connectionString: admin.href });
  await client.connect();
  try {
    await client.query(
      `create database ${name} template ${new URL(templateUrl).pathname.slice(1)} strategy file_copy`,
    );
  } finally {
    await client.end();
  }
  return new URL(`/${name}`, templateUrl).href;
}

/** The address of a test file's database over TCP, for what stands between it and the service. */
export function overTcp(databaseUrl: string): string {
  return new URL(new URL(databaseUrl).pathname, inject('postgresUrl')).href;
}
