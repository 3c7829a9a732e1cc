import { Pool } from 'undici';
import { nameIn, type ReleaseProcess, type ReleaseService } from './service.ts';

/** The state of the module that everyone should see. */
export interface SeenState {
  readonly revision: number;
  readonly isQuarantined: boolean;
}

/** A read of one process, again and again on one connection. */
export interface Reader {
  readonly process: string;
  readonly kind: string;
  /** Everything that an answer shows of the state, as one text. */
  read(): Promise<string>;
  /** The text of an answer that shows this state and no other. */
  expected(state: SeenState): string;
  close(): Promise<void>;
}

interface Kind {
  readonly name: string;
  readonly origin: (process: ReleaseProcess) => string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  summary(answer: Answer): unknown;
  expected(state: SeenState): unknown;
}

interface Answer {
  readonly status: number;
  readonly location: string;
  /** Null: it is no JSON. */
  readonly body: Readonly<Record<string, unknown>> | null;
}

const REFUSED = [403, '/problems/module-quarantined'];

/** Readers of every kind for every process. */
export function makeReaders(service: ReleaseService): Reader[] {
  return service.processes.flatMap((process) => kindsOf(service).map((kind) => readerOf(process, kind)));
}

function readerOf(process: ReleaseProcess, kind: Kind): Reader {
  const address = new URL(kind.origin(process));
  const pool = new Pool(address.origin, { connections: 1 });
  const path = address.pathname.replace(/\/$/, '') + kind.path;
  return {
    process: process.name,
    kind: kind.name,
    async read() {
      const {
        statusCode: status,
        headers,
        body,
      } = await pool.request({ method: 'GET', path, headers: kind.headers });
      const text = await body.text();
      const isJson = String(headers['content-type']).includes('json');
      return JSON.stringify(
        kind.summary({
          status,
          location: String(headers['location'] ?? ''),
          body: isJson ? (JSON.parse(text) as Record<string, unknown>) : null,
        }),
      );
    },
    expected: (state) => JSON.stringify(kind.expected(state)),
    close: () => pool.close(),
  };
}

function kindsOf({ moduleId, farmerId, farmerToken, key }: ReleaseService): Kind[] {
  const farmer = { Authorization: `Bearer ${farmerToken}` };
  const api = ({ url }: ReleaseProcess) => url;
  const refusedOr = (state: SeenState, answer: unknown) => (state.isQuarantined ? REFUSED : answer);
  return [
    {
      name: "the module's page",
      ...{ origin: api, path: `/${farmerId}/availableModules/${moduleId}`, headers: farmer },
      summary: ({ status, body }) => [status, body?.['revision'], body?.['name'], body?.['quarantineReason']],
      expected: ({ revision, isQuarantined }) => [
        ...[200, revision, nameIn(revision)],
        isQuarantined ? 'bench' : null,
      ],
    },
    {
      name: 'the installation',
      ...{ origin: api, path: `/${farmerId}/installations/${moduleId}`, headers: farmer },
      summary: ({ status, body }) => {
        const app = body?.['app'] as { revision: number; baseUrl: string } | null | undefined;
        return [status, app?.revision ?? null, app?.baseUrl.split('/').at(-2) ?? null];
      },
      expected: ({ revision, isQuarantined }) =>
        isQuarantined ? [200, null, null] : [200, revision, String(revision)],
    },
    {
      name: 'the current application',
      ...{ origin: ({ applications }) => applications, headers: { host: `${moduleId}.modules.localhost` } },
      path: '/current/index.html',
      summary: ({ status, location, body }) => [status, status === 302 ? location : body?.['type']],
      expected: (state) => refusedOr(state, [302, `/${state.revision}/index.html`]),
    },
    {
      name: "a file of the application's first revision",
      ...{ origin: ({ applications }) => applications, headers: { host: `${moduleId}.modules.localhost` } },
      path: '/1/index.html',
      summary: ({ status, body }) => (status === 403 ? [status, body?.['type']] : [status]),
      expected: (state) => refusedOr(state, [200]),
    },
    ...['Rules', 'Structures'].map((what) => ({
      name: `${what.toLowerCase()} with the key`,
      ...{ origin: api, path: `/Alerts/${what}ByModuleId/${moduleId}`, headers: { 'X-Api-Key': key } },
      summary: ({ status, body }: Answer) => (status === 403 ? [status, body?.['type']] : [status]),
      expected: (state: SeenState) => refusedOr(state, [200]),
    })),
  ];
}
