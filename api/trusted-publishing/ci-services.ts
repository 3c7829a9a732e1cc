/** The form of a claim's value, and an example. */
type Form = readonly [RegExp, string];

/**
 * A CI service: how its tokens name a run's repository and workflow, and where it returns their IDs. A name can be taken by
 * others once its repository or owner is renamed or deleted; an ID cannot.
 */
export interface CiService {
  readonly name: string;
  /** The addresses of its issuers. Tokens of further installations are known by their claims. */
  readonly issuers: RegExp;
  /** The claims with the immutable IDs of the repository and of its owner. */
  readonly ids: readonly [repository: string, owner: string];
  /** The claims with the file of the workflow: one of them is enough. */
  readonly workflows: readonly [string, ...(readonly string[])];
  /** The claim with the branch or tag. */
  readonly ref: string;
  readonly forms: Readonly<Record<string, Form>>;
  /** The members of its answer about a repository, besides `id` and `default_branch`. */
  readonly members: { readonly owner: string; readonly fullName: string };
  /** Where it answers about a public repository. */
  readonly addressOf: (issuer: URL, repository: string) => string;
  /** The file of the workflow unless another one is named; null: it must be. */
  readonly defaultFile: string | null;
  readonly workflowOf: (issuer: URL, fullName: string, file: string) => string;
  /** What a person runs to read the same about a private repository. */
  readonly commandFor: (issuer: URL, repository: string) => string;
}

const ID: Form = [/^\d+$/, '74'];
const GITHUB_WORKFLOW: Form = [
  /^[\w.-]+\/[\w.-]+\/[^@]+@refs\/.+$/,
  'acme/soil/.github/workflows/import.yml@refs/heads/main',
];
const GITLAB_WORKFLOW: Form = [/^[^\s@]+@refs\/.+$/, 'gitlab.com/acme/soil//.gitlab-ci.yml@refs/heads/main'];

const GITHUB: CiService = {
  name: 'GitHub',
  issuers:
    /^https?:\/\/(?:token\.actions\.(?:githubusercontent\.com|[\w-]+\.ghe\.com)(?:\/[\w-]+)?|[\w.:-]+\/_services\/token)$/,
  ids: ['repository_id', 'repository_owner_id'],
  workflows: ['workflow_ref', 'job_workflow_ref'],
  ref: 'ref',
  forms: {
    ...{ repository_id: ID, repository_owner_id: ID },
    ...{ workflow_ref: GITHUB_WORKFLOW, job_workflow_ref: GITHUB_WORKFLOW },
  },
  members: { owner: 'owner', fullName: 'full_name' },
  addressOf: (issuer, repository) => `${gitHubApi(issuer)}/repos/${repository}`,
  defaultFile: null,
  workflowOf: (_issuer, fullName, file) =>
    `${fullName}/${file.includes('/') ? file : `.github/workflows/${file}`}`,
  commandFor: (issuer, repository) =>
    `gh api ${hostOption(gitHubHost(issuer), 'github.com')}repos/${repository} --jq '{repository_id: (.id|tostring), repository_owner_id: (.owner.id|tostring)}'`,
};

const GITLAB: CiService = {
  name: 'GitLab',
  issuers: /^https:\/\/gitlab\.com$/,
  ids: ['project_id', 'namespace_id'],
  workflows: ['ci_config_ref_uri'],
  ref: 'ref_path',
  forms: { project_id: ID, namespace_id: ID, ci_config_ref_uri: GITLAB_WORKFLOW },
  members: { owner: 'namespace', fullName: 'path_with_namespace' },
  addressOf: ({ href }, repository) =>
    `${href.replace(/\/$/, '')}/api/v4/projects/${encodeURIComponent(repository)}`,
  defaultFile: '.gitlab-ci.yml',
  workflowOf: ({ host, pathname }, fullName, file) =>
    `${host}${pathname.replace(/\/$/, '')}/${fullName}//${file}`,
  commandFor: ({ host }, repository) =>
    `glab api ${hostOption(host, 'gitlab.com')}projects/${encodeURIComponent(repository)} | jq '{project_id: (.id|tostring), namespace_id: (.namespace.id|tostring)}'`,
};

export const CI_SERVICES: readonly CiService[] = [GITHUB, GITLAB];

/** The service whose issuer has this address; undefined: an installation of its own, or another service. */
export function serviceOf(issuer: string): CiService | undefined {
  return CI_SERVICES.find(({ issuers }) => issuers.test(issuer));
}

/** Of any other issuer, only GitLab's address is that of its installation: it can be called there. */
export function serviceToCall(issuer: string): CiService {
  return serviceOf(issuer) ?? GITLAB;
}

/** GitHub's API: of github.com, of an enterprise at ghe.com, or of a server of its own. */
function gitHubApi(issuer: URL): string {
  const host = gitHubHost(issuer);
  return host === issuer.host ? `${issuer.origin}/api/v3` : `https://api.${host}`;
}

/** The host of the installation of GitHub that has an issuer. */
function gitHubHost({ host, hostname }: URL): string {
  const [, domain] = /^token\.actions\.(.+)$/.exec(hostname) ?? [];
  return domain === 'githubusercontent.com' ? 'github.com' : (domain ?? host);
}

/** Without it the programs ask the public service, whose repository of this name is another one. */
function hostOption(host: string, publicHost: string): string {
  if (host === publicHost) return '';
  // A URL may have a host that a shell would read.
  return `--hostname ${/^[\w.:-]+$/.test(host) ? host : 'HOST'} `;
}

/**
 * GitHub's subject of repositories that were created or renamed since July 2026, or that chose it: it has both IDs. No
 * name contains an `@`. Forgejo's, with hyphens in their place, could be a name.
 */
export const IMMUTABLE_SUBJECT = /^repo:[^@/:]+@\d+\/[^@/:]+@\d+:/;

/** The claims by which services name the event that started a run. */
export const EVENT_CLAIMS = ['event_name', 'event', 'event_type', 'pipeline_source', 'build_source'] as const;

/**
 * Events that strangers cause although the run has the rights of the repository: their code may run there, or their text
 * reach a script. GitLab can run merge requests of forks in the project itself.
 */
export const STRANGERS_EVENTS: ReadonlySet<string> = new Set([
  ...['pull_request_target', 'workflow_run', 'issue_comment'],
  ...['issues', 'discussion', 'discussion_comment'],
  ...['pull_request_comment', 'pull_request_review', 'pull_request_review_comment'],
  ...['merge_request_event', 'external_pull_request_event'],
]);
