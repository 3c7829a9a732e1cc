import type { Request, Response } from 'express';
import type { Redis } from 'ioredis';
import { PartProblem } from '../../shared/process/part-problem.ts';
import { programActor, writeAudit } from '../../shared/db/access/audit-log.ts';
import {
  issuePublisherToken,
  type PublisherRun,
  makePublisherToken,
} from '../../shared/db/access/publisher-tokens.ts';
import {
  findTrustedPublishers,
  type RegisteredPublisher,
} from '../../shared/db/access/trusted-publishers.ts';
import type { Database } from '../../shared/db/database.ts';
import type { OutboundConfig } from '../../shared/config/identity-config.ts';
import { OutboundFetch } from '../../shared/outbound/outbound-fetch.ts';
import { currentSpan } from '../../shared/telemetry/current-span.ts';
import type { Log } from '../../shared/telemetry/log.ts';
import { invalidToken } from '../auth/access-token.ts';
import { publisherActor } from '../auth/access.ts';
import { clientNetwork, RateLimit } from '../http/limits/rate-limit.ts';
import { unavailable, type ProblemError } from '../http/problem.ts';
import { IssuerKeys } from '../auth/issuer-keys.ts';
import { outboundJson } from './outbound-json.ts';
import { readToken, verifyToken, type TokenVerdict } from './verify-token.ts';

/** For one network: the calls need no credential. */
const EXCHANGES_PER_MINUTE = 60;
/**
 * Anyone may send tokens for a module, and anyone gets tokens of a public issuer. So that a stranger can neither fill a
 * vendor's audit log nor hide in it why the vendor's own run was refused, each kind has its own few entries.
 */
const RECORDED_PER_HOUR = { own: 60, stranger: 6 } as const;
const HOUR_SECONDS = 3_600;
const RETRY_SECONDS = 30;

type Refusal = Extract<TokenVerdict, { kind: 'refused' }>;

/** The parts of the process that the exchange uses. */
export interface ExchangeContext {
  readonly database: Database;
  readonly log: Log;
  readonly redis: Redis | null;
}

/** Exchanges the tokens of issuers that vendors trust for access tokens of one module. */
export class TokenExchange {
  readonly #context: ExchangeContext;
  readonly #trustedIssuers: readonly string[];
  readonly #keys: IssuerKeys;
  readonly #calls: RateLimit;
  readonly #recorded: Readonly<Record<keyof typeof RECORDED_PER_HOUR, RateLimit>>;

  constructor(context: ExchangeContext, outbound: OutboundConfig) {
    const { redis } = context;
    const recorded = (kind: keyof typeof RECORDED_PER_HOUR) =>
      new RateLimit(`refused-exchanges-${kind}`, RECORDED_PER_HOUR[kind], redis, HOUR_SECONDS);
    this.#context = context;
    this.#trustedIssuers = outbound.trustedIssuers;
    const fetchJson = outboundJson(new OutboundFetch(outbound));
    this.#keys = new IssuerKeys({
      fetchJson,
      refetchMs: RETRY_SECONDS * 1_000,
      retryMs: RETRY_SECONDS * 1_000,
    });
    this.#calls = new RateLimit('token-exchanges', EXCHANGES_PER_MINUTE, redis);
    this.#recorded = { own: recorded('own'), stranger: recorded('stranger') };
  }

  /**
   * An access token for a token. Whatever is wrong, the refusal is the same: it reveals neither modules nor publishers.
   * @throws ProblemError 401, and 503 where the keys of a trusted issuer are unavailable; OverRateError
   */
  async exchange(
    text: string,
    moduleId: string,
    { request, response }: { readonly request: Request; readonly response: Response },
  ): Promise<string> {
    const network = clientNetwork(request.ip ?? '');
    await this.#calls.spend(network, 'The token exchanges of your network', response);
    const token = readToken(text);
    if (token === null) throw refusal();
    const publishers = await findTrustedPublishers(this.#context.database, moduleId, token.issuer);
    const [publisher] = publishers;
    if (publisher === undefined) throw refusal();
    const verdict = this.#mayBeTrusted(token.issuer)
      ? await this.#verify(token, publishers)
      : refusedFor('the operator does not allow the issuer');
    if (verdict.kind === 'refused') return this.#refuse(publisher, verdict);
    return this.#issue(publisher, verdict);
  }

  #mayBeTrusted(issuer: string): boolean {
    return this.#trustedIssuers.length === 0 || this.#trustedIssuers.includes(issuer);
  }

  async #verify(
    token: NonNullable<ReturnType<typeof readToken>>,
    publishers: readonly RegisteredPublisher[],
  ): Promise<TokenVerdict> {
    try {
      return await verifyToken(token, await this.#keys.keysOf(token.issuer), publishers);
    } catch (error) {
      if (!(error instanceof PartProblem)) throw error;
      const { issuer } = token;
      this.#context.log.warn({ issuer, reason: error.problem }, 'keys of a trusted issuer unavailable');
      const detail = 'The token cannot be verified because its issuer is unavailable. Try again later.';
      throw unavailable(detail, RETRY_SECONDS);
    }
  }

  async #issue(
    publisher: RegisteredPublisher,
    { publisherId, jti, expiresAt, run }: Extract<TokenVerdict, { kind: 'accepted' }>,
  ): Promise<string> {
    const accessToken = makePublisherToken();
    const exchanged = { publisherId, jti, expiresAt, ...run };
    const { database } = this.#context;
    const result = await issuePublisherToken(database, accessToken, exchanged, actorOf(run), detailsOf(run));
    if (result === 'issued') return accessToken;
    if (result === 'removed') throw refusal();
    const reason = 'the token was exchanged before: its jti is known';
    return this.#refuse(publisher, { kind: 'refused', reason, run, isOwn: true });
  }

  async #refuse({ organizationId, moduleId, issuer }: RegisteredPublisher, verdict: Refusal): Promise<never> {
    const { reason, isOwn } = verdict;
    const unknown = { subject: null, repository: null, workflow: null, commit: null, run: null };
    const run = verdict.run ?? { issuer, ...unknown };
    const { database, log } = this.#context;
    const { isOver } = await this.#recorded[isOwn ? 'own' : 'stranger'].count(moduleId);
    if (isOver) log.info({ moduleId, reason }, 'refused token exchange not recorded: hourly limit reached');
    else
      await writeAudit(database, actorOf(run), {
        ...{ organizationId, moduleId, action: 'trustedPublishing.refused' },
        details: { reason, ...detailsOf(run) },
      });
    throw refusal();
  }
}

function refusedFor(reason: string): Refusal {
  return { kind: 'refused', reason, run: null, isOwn: false };
}

function refusal(): ProblemError {
  return invalidToken('The token cannot be exchanged for this module.');
}

function actorOf(run: PublisherRun) {
  return programActor(publisherActor(run), currentSpan().traceId);
}

/** The known facts about a run, for the audit log. */
function detailsOf(run: PublisherRun): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(run).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}
