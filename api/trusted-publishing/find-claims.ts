import type { OutboundConfig } from '../../shared/config/identity-config.ts';
import {
  NoAnswerError,
  type OutboundAnswer,
  type OutboundFetch,
} from '../../shared/outbound/outbound-fetch.ts';
import { AddressRefusedError } from '../../shared/outbound/outbound-url.ts';
import { found, ProblemError, unavailable } from '../http/problem.ts';
import { isObject } from '../http/schema.ts';
import { serviceToCall, type CiService } from './ci-services.ts';
import { jsonObject, OUTBOUND_LIMITS } from './outbound-json.ts';
import { issuerIssue } from './publisher-claims.ts';

/** The runs that are to import a module, as a person names them. */
export interface NamedRuns {
  readonly issuer: string;
  readonly repository: string;
  /** The file of the workflow. */
  readonly workflow?: string | undefined;
  /** By default the repository's own. */
  readonly branch?: string | undefined;
  readonly environment?: string | undefined;
}

/** GitHub refuses calls without one. */
const HEADERS = { 'User-Agent': 'modulectl' };
const RETRY_SECONDS = 60;

/**
 * The claims of runs, with the IDs that their CI service gives for the names. Only public repositories are found: the
 * service is called without a credential.
 * @throws ProblemError 400, 404, and 503 where the service does not answer
 */
export async function findClaims(
  outbound: Pick<OutboundFetch, 'fetch'>,
  config: OutboundConfig,
  runs: NamedRuns,
): Promise<Readonly<Record<string, string>>> {
  const issue = issuerIssue(runs.issuer, config);
  if (issue !== null) throw new ProblemError('request-invalid', issue);
  const issuer = new URL(runs.issuer);
  const service = serviceToCall(runs.issuer);
  const file = runs.workflow ?? service.defaultFile;
  if (file === null)
    throw new ProblemError('request-invalid', 'Name the file of the workflow, such as workflow=import.yml.');
  const answer = await call(outbound, service.addressOf(issuer, runs.repository));
  const command = service.commandFor(issuer, runs.repository);
  if (answer === null || answer.status === 403 || answer.status === 429 || answer.status >= 500)
    throw unavailable(
      `${service.name} does not answer at ${issuer.host} now. Try again later, or take the IDs from: ${command}`,
      RETRY_SECONDS,
    );
  const repository = found(
    answer.status === 200 ? readRepository(service, jsonObject(answer.body)) : null,
    `${service.name} at ${issuer.host} has no public repository ${runs.repository}. If it is private, take the IDs ` +
      `from: ${command}. If it was renamed, use its new name.`,
  );
  const ref = `refs/heads/${runs.branch ?? repository.branch}`;
  const [workflow] = service.workflows;
  const [repositoryId, ownerId] = service.ids;
  return {
    [repositoryId]: repository.id,
    [ownerId]: repository.ownerId,
    [workflow]: `${service.workflowOf(issuer, repository.fullName, file)}@${ref}`,
    [service.ref]: ref,
    ...(runs.environment !== undefined && { environment: runs.environment }),
  };
}

/** The answer of a service; null where there is none. */
async function call(outbound: Pick<OutboundFetch, 'fetch'>, address: string): Promise<OutboundAnswer | null> {
  try {
    return await outbound.fetch(address, { ...OUTBOUND_LIMITS, headers: HEADERS });
  } catch (error) {
    if (error instanceof NoAnswerError) return null;
    if (!(error instanceof AddressRefusedError)) throw error;
    throw new ProblemError('request-invalid', `The issuer cannot be used: ${error.message}.`);
  }
}

/** What a service says about a repository; null where it is no such answer. */
function readRepository({ members }: CiService, answer: Readonly<Record<string, unknown>> | null) {
  const owner = answer?.[members.owner];
  const [id, ownerId] = [answer?.['id'], isObject(owner) ? owner['id'] : null];
  const [fullName, branch] = [answer?.[members.fullName], answer?.['default_branch']];
  if (!Number.isSafeInteger(id) || !Number.isSafeInteger(ownerId)) return null;
  if (typeof fullName !== 'string' || typeof branch !== 'string') return null;
  return { id: String(id), ownerId: String(ownerId), fullName, branch };
}
