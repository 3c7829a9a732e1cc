import { commandGroup, defined, JSON_FLAG, vendorCommand } from '../command.ts';
import { MODULE } from '../names.ts';
import { answered } from '../server.ts';

const ALL = '/api/v8.0/{orgId}/trustedPublishers/{moduleId}';
const ISSUERS: Readonly<Record<string, string>> = {
  github: 'https://token.actions.githubusercontent.com',
  gitlab: 'https://gitlab.com',
};

interface Publisher {
  readonly issuer: string;
  readonly audience: string;
  readonly claims: Readonly<Record<string, string | number | boolean>>;
}

const COLUMNS = {
  issuer: (each: Publisher) => each.issuer,
  audience: (each: Publisher) => each.audience,
  claims: (each: Publisher) =>
    Object.entries(each.claims)
      .map(([name, value]) => `${name}=${value}`)
      .join(' '),
};

const add = vendorCommand({
  name: 'add',
  summary: 'trust the CI runs of a repository',
  description:
    'Trust the CI runs of a public repository: its IDs are looked up, so that nobody who takes over its name can import.',
  args: {
    ...MODULE,
    repository: { usage: '<repository>', text: 'repository with its owner, such as acme/soil' },
  },
  page: ({ moduleId }) => `modules/${moduleId}/dev`,
  flags: {
    '--ci <service>': 'github (default), gitlab, or the issuer of another installation of one of them',
    '--workflow <file>': 'file of the workflow, such as import.yml',
    '--branch <name>': "branch (default: the repository's)",
    '--environment <name>': 'environment that the job must have',
    '--audience <text>': 'audience of the tokens (default: the server)',
    ...JSON_FLAG,
  },
  async call(
    { client, server, path },
    { ci = 'github', repository, workflow, branch, environment, audience },
  ) {
    const issuer = ISSUERS[ci] ?? ci;
    const query = { issuer, repository, ...defined({ workflow, branch, environment }) };
    const found = await answered(
      client.GET('/api/v8.0/{orgId}/publisherClaims', { params: { path, query } }),
    );
    const publisher = { ...found, audience: audience ?? server };
    const { items } = await answered(client.GET(ALL, { params: { path } }));
    await answered(client.PUT(ALL, { params: { path }, body: { items: [...items, publisher] } }));
    return publisher;
  },
  show: (publisher, { output }) => output.table([publisher], COLUMNS),
});

const list = vendorCommand({
  name: 'list',
  description: 'List the trusted publishers of a module.',
  args: MODULE,
  flags: JSON_FLAG,
  call: async ({ client, path }) => (await answered(client.GET(ALL, { params: { path } }))).items,
  show: (items, { output }) => output.table(items, COLUMNS),
});

/** `modulectl publishers`: manages the trusted publishers of a module. */
export const publishers = commandGroup('publishers', 'manage the CI runs that may import a module', [
  add,
  list,
]);
