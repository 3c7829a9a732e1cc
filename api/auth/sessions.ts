import { setTimeout as sleep } from 'node:timers/promises';
import type { PortalConfig } from '../../shared/config/identity-config.ts';
import { CONNECTION_TIMES, STANDARD_TIMES } from '../../shared/db/session-options.ts';
import {
  claimRefresh,
  endRefusedSession,
  postponeRefresh,
  storeTokens,
  type RefreshClaim,
} from '../../shared/db/access/sessions/session-tokens.ts';
import { EndedAtIssuerError } from '../../shared/db/access/sessions/issuer-logouts.ts';
import {
  createSession,
  useSession,
  type NewSession,
  type Session,
} from '../../shared/db/access/sessions/sessions.ts';
import type { Context } from '../../shared/process/context.ts';
import {
  ISSUER_MS,
  readAccessToken,
  SignInRefused,
  type IssuerClient,
  issuerUnavailable,
} from './issuer-client.ts';
import { RefusalLog } from './token-refusal.ts';

/** The longest time in which the new tokens are stored, or the statement fails. */
const STORE_MS =
  CONNECTION_TIMES.shareMs + CONNECTION_TIMES.openMs + STANDARD_TIMES.lockMs + STANDARD_TIMES.statementMs;
/** A process that died does not keep others from refreshing. The claim outlives the issuer's answer and what stores it. */
export const CLAIM_MS = ISSUER_MS + STORE_MS;
/** How soon the next request tries again if the issuer did not answer. */
const RETRY_MS = 2_000;
/** The longest time that a request without a valid access token waits for the process that refreshes it. */
const MAX_WAIT_MS = ISSUER_MS + RETRY_MS;
const POLL_MS = 100;

interface TimedClaim extends RefreshClaim {
  /** By then the issuer has answered, by `performance.now()`. */
  readonly endMs: number;
}

type Parts = Pick<Context, 'database' | 'encryptionKeys' | 'log'>;

/**
 * The sessions of portal and dashboard. A request whose access token expires soon refreshes it. An issuer that rotates
 * refresh tokens takes the second use of one as theft, so only one request of all processes does so; the others go on
 * with the token that is still valid, or wait for the new one.
 */
export class Sessions {
  readonly issuerClient: IssuerClient;
  /** For sign-ins and logout tokens. */
  readonly refusals: RefusalLog;
  readonly #parts: Parts;
  readonly #limits: PortalConfig['sessions'];
  /** By the cookie's secret: the requests of this process wait together. */
  readonly #renewals = new Map<string, Promise<Session | null>>();

  constructor(parts: Parts, issuerClient: IssuerClient, limits: PortalConfig['sessions']) {
    this.issuerClient = issuerClient;
    this.refusals = new RefusalLog(parts.log);
    this.#parts = parts;
    this.#limits = limits;
  }

  /** The time from which the cookie is useless. */
  get maxAgeMs(): number {
    return this.#limits.maxHours * 3_600_000;
  }

  /** Starts a session; returns the secret of its cookie. @throws SignInRefused if the issuer has ended it meanwhile */
  async start(session: NewSession): Promise<string> {
    const { database, encryptionKeys } = this.#parts;
    try {
      return await createSession(database, encryptionKeys, session, this.#limits);
    } catch (error) {
      if (!(error instanceof EndedAtIssuerError)) throw error;
      throw new SignInRefused('The sign-in was ended at the identity provider.', { cause: error });
    }
  }

  /**
   * The session of a cookie's secret, with an access token that is valid if there can be one; null if there is none.
   * @throws ProblemError 503 if the token has expired and the issuer is unavailable.
   */
  async find(secret: string): Promise<Session | null> {
    const session = await this.#use(secret);
    if (session === null || !session.canRefresh) return session;
    if (!session.isRefreshDue && !isOver(session)) return session;
    const renewal =
      this.#renewals.get(secret) ?? this.#renew(secret).finally(() => this.#renewals.delete(secret));
    this.#renewals.set(secret, renewal);
    return renewal;
  }

  /** Waits for refreshes that are under way: the issuer takes a refresh token once. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#renewals.values());
  }

  async #use(secret: string): Promise<Session | null> {
    return useSession(this.#parts.database, secret, this.#limits);
  }

  async #renew(secret: string): Promise<Session | null> {
    const { database, encryptionKeys } = this.#parts;
    const startedMs = performance.now();
    for (;;) {
      const session = await this.#use(secret);
      if (session === null || !session.canRefresh) return session;
      // Counted from before the claim, which thus ends later.
      const endMs = performance.now() + ISSUER_MS;
      const claim = session.isRefreshDue
        ? await claimRefresh(database, encryptionKeys, secret, CLAIM_MS)
        : null;
      if (claim !== null) return this.#refresh(secret, session, { ...claim, endMs });
      if (!isOver(session)) return session;
      if (performance.now() - startedMs > MAX_WAIT_MS)
        throw issuerUnavailable(new Error('another request is refreshing the session'));
      await sleep(POLL_MS);
    }
  }

  async #refresh(secret: string, session: Session, claim: TimedClaim): Promise<Session | null> {
    const { database, encryptionKeys } = this.#parts;
    try {
      const tokens = await this.#newTokens(session, claim);
      await storeTokens(database, encryptionKeys, secret, claim, { ...tokens, name: session.name });
    } catch (error) {
      await this.#handleFailure(secret, session, claim, error);
    }
    return this.#use(secret);
  }

  async #newTokens({ subject, idToken }: Session, { refreshToken, endMs }: TimedClaim) {
    if (refreshToken === null)
      throw new SignInRefused('ENCRYPTION_KEYS has lost the key of its refresh token');
    const tokens = await this.issuerClient.refresh(refreshToken, idToken, endMs);
    // Not verified here: every use of an access token verifies it.
    if (readAccessToken(tokens.accessToken).subject !== subject)
      throw new SignInRefused('the access token from the issuer is not a JWT of the same person');
    return tokens;
  }

  /** A refusal ends the session. After any other failure the access token is used for as long as it is valid. */
  async #handleFailure(secret: string, session: Session, claim: RefreshClaim, error: unknown): Promise<void> {
    const { database, log } = this.#parts;
    const fields = { sessionId: session.id, subject: session.subject, reason: reasonOf(error) };
    if (error instanceof SignInRefused) {
      const isEnded = await endRefusedSession(database, secret, claim);
      if (isEnded) log.info(fields, 'session ended: its tokens cannot be refreshed');
      return;
    }
    log.warn(fields, 'session not refreshed');
    await postponeRefresh(database, secret, claim, RETRY_MS);
    if (isOver(session)) throw issuerUnavailable(error);
  }
}

function isOver({ accessToken }: Session): boolean {
  return readAccessToken(accessToken).lifetimeMs === 0;
}

/** Not the error itself: it may contain a token from the issuer's answer. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { cause } = error;
  const code = cause instanceof Error ? cause.message : null;
  return code === null || code === error.message ? error.message : `${error.message} ${code}`;
}
