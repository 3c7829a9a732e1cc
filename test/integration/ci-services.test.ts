import { afterAll, beforeAll, expect } from 'vitest';
import { CI_CLAIMS, startCiIssuer, type CiIssuer } from '../support/ci-issuer.ts';
import { exchange, LOOPBACK_ISSUERS, publishingModule, refusals } from '../support/publishing-module.ts';
import { serviceTest } from '../support/service-test.ts';

const test = serviceTest({ settings: LOOPBACK_ISSUERS });

type Claims = Readonly<Record<string, string>>;

let issuer: CiIssuer;

beforeAll(async () => {
  issuer = await startCiIssuer();
});

afterAll(() => issuer.stop());

const SUBJECT = 'repo:acme/soil:ref:refs/heads/main';
const IMMUTABLE = 'repo:acme@9/soil@74:ref:refs/heads/main';
const WORKFLOW = CI_CLAIMS.workflow_ref;
/** Tokens without the claims that only GitHub's have. */
const NOT_GITHUB = Object.fromEntries(
  [...Object.keys(CI_CLAIMS), 'repository', 'repository_owner', 'event_name'].map((name) => [
    name,
    undefined,
  ]),
);
const GITLAB = {
  project_id: '20',
  namespace_id: '72',
  ci_config_ref_uri: 'gitlab.example.com/acme/soil//.gitlab-ci.yml@refs/heads/main',
};
const OF_GITLAB = {
  ...{ ...NOT_GITHUB, ...GITLAB, sub: 'project_path:acme/soil:ref_type:branch:ref:main', sha: '714a629c' },
  ...{ project_path: 'acme/soil', namespace_path: 'acme', pipeline_source: 'push', pipeline_id: '574' },
  ...{
    ref: 'main',
    ref_type: 'branch',
    ref_path: 'refs/heads/main',
    ref_protected: 'true',
    run_id: undefined,
  },
};
/** Forgejo before it had IDs, and a service that is neither. */
const OF_FORGEJO = { ...NOT_GITHUB, repository: 'acme/soil', ref: 'refs/heads/main', event_name: 'push' };
const OF_BUILDKITE = { ...NOT_GITHUB, sub: 'organization:acme:pipeline:soil', build_source: 'webhook' };

/** Of each service: what a publisher requires, what a token of its run has, and what a stranger's has in its place. */
const SHAPES: Readonly<Record<string, { publisher: Claims; token: object; strangers: readonly object[] }>> = {
  GitHub: {
    publisher: CI_CLAIMS,
    token: {},
    strangers: [{ repository_id: '75' }, { repository_owner_id: '10' }, { workflow_ref: `${WORKFLOW}2` }],
  },
  'GitHub, with a subject that has IDs': {
    publisher: { sub: IMMUTABLE, workflow_ref: WORKFLOW },
    token: { sub: IMMUTABLE },
    strangers: [{ sub: SUBJECT }, { sub: IMMUTABLE.replace('@74', '@75') }, { workflow_ref: undefined }],
  },
  'GitHub, with a reusable workflow and an environment': {
    publisher: {
      ...{ repository_id: '74', repository_owner_id: '9', job_workflow_ref: WORKFLOW },
      environment: 'production',
    },
    token: {
      job_workflow_ref: WORKFLOW,
      environment: 'production',
      workflow_ref: 'acme/soil/x.yml@refs/tags/1',
    },
    strangers: [{ environment: undefined }, { environment: 'staging' }, { job_workflow_ref: undefined }],
  },
  GitLab: {
    publisher: GITLAB,
    token: OF_GITLAB,
    strangers: [{ project_id: '21' }, { namespace_id: '73' }, { ci_config_ref_uri: null }],
  },
  'Forgejo without IDs': {
    publisher: { repository: 'acme/soil', ref: 'refs/heads/main' },
    token: OF_FORGEJO,
    strangers: [{ repository: 'acme/soil2' }, { repository_id: '75', repository_owner_id: '9' }],
  },
  Buildkite: {
    publisher: { sub: 'organization:acme:pipeline:soil' },
    token: OF_BUILDKITE,
    strangers: [{ sub: 'organization:acme:pipeline:soil2' }],
  },
};

test.for(Object.entries(SHAPES))(
  'a run of %s imports; the same names with other IDs do not',
  async ([, { publisher, token, strangers }], { app, vendor }) => {
    const moduleId = await publishingModule(app, vendor, issuer.url, publisher);
    const statusOf = async (claims: object) =>
      (await exchange(app, moduleId, await issuer.token({ ...token, ...claims }))).status;
    for (const claims of strangers) expect(await statusOf(claims), JSON.stringify(claims)).toBe(401);
    expect(await statusOf({})).toBe(200);
  },
);

/** Publishers that name no IDs, or no workflow. */
const UNBOUND: readonly (readonly [Claims, string])[] = [
  [{ repository_id: '74', ref: 'refs/heads/main' }, 'repository_owner_id'],
  [{ repository: 'acme/soil', ref: 'refs/heads/main' }, 'repository_id'],
  [{ sub: SUBJECT }, 'repository_id'],
  [{ sub: SUBJECT, workflow_ref: WORKFLOW }, 'repository_owner_id'],
  [{ repository_id: '74', repository_owner_id: '9' }, 'workflow_ref'],
];

test.for(UNBOUND)(
  'the tokens of an own installation have IDs: a publisher with %j does not accept them, and the audit log names %s',
  async ([claims, name], { app, vendor }) => {
    const moduleId = await publishingModule(app, vendor, issuer.url, claims);
    expect((await exchange(app, moduleId, await issuer.token())).status).toBe(401);
    const [entry] = await refusals(app, vendor, moduleId);
    expect(entry?.details['reason']).toContain(`${name} (in the token, but not in the publisher's claims)`);
  },
);

const EVENTS: readonly (readonly [string, object])[] = [
  ...['pull_request_target', 'workflow_run', 'issue_comment', 'issues', 'discussion_comment'].map(
    (event_name) => [event_name, { event_name }] as const,
  ),
  ['Pull_Request_Target, in other letters', { event_name: 'Pull_Request_Target' }],
  ['pull_request_target, in a list', { event_name: ['push', 'pull_request_target'] }],
  ['a merge request of GitLab', { pipeline_source: 'merge_request_event' }],
  ['a pull request at GitHub that GitLab builds', { pipeline_source: 'external_pull_request_event' }],
  ['a comment, by another name of the claim', { event_type: 'issue_comment' }],
];

test.for(EVENTS)(
  'the event %s is refused for each issuer, and the audit log has it',
  async ([, event], { app, vendor }) => {
    for (const { publisher, token } of [SHAPES['GitHub'], SHAPES['Buildkite']].filter(
      (each) => each !== undefined,
    )) {
      const moduleId = await publishingModule(app, vendor, issuer.url, publisher);
      const answer = await exchange(app, moduleId, await issuer.token({ ...token, ...event }));
      expect([answer.status, answer.body.detail]).toEqual([
        401,
        'The token cannot be exchanged for this module.',
      ]);
      const [entry] = await refusals(app, vendor, moduleId);
      expect(entry?.details['reason']).toMatch(/^a run of the event .*, which strangers can cause$/);
    }
  },
);

test('events of those who may write to the repository are accepted', async ({ app, vendor }) => {
  const moduleId = await publishingModule(app, vendor, issuer.url);
  for (const event_name of ['push', 'release', 'schedule', 'workflow_dispatch', 'repository_dispatch'])
    expect((await exchange(app, moduleId, await issuer.token({ event_name }))).status, event_name).toBe(200);
});
