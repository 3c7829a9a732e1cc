import { createHash } from 'node:crypto';
import type { OrganizationLimitValues } from '../../shared/config/limit-config.ts';
import { claimKey, keepAnswer, KEY_KEEP_DAYS } from '../../shared/db/idempotency-keys.ts';
import type { OrganizationsAccess } from '../auth/endpoint-access.ts';
import type { ApiContext } from '../context.ts';
import { replyOfRepeat, SENT, sendReply, type Answers, type Reply, type ReplyOf } from './answer.ts';
import { endpoint, type Call, type Definition, type Endpoint } from './endpoint.ts';
import { IDEMPOTENCY_KEY, keyMismatch, readIdempotencyKey } from './request/idempotency-key.ts';
import type { NoParameters, ParameterSchemas } from './request/parameters.ts';

/** What makes something. Nothing else of the API: it could want a connection beside that of the transaction. */
type CreatingApi = Pick<ApiContext, 'database' | 'config' | 'catalogue' | 'encryptionKeys'>;

interface CreatingCall<Caller, Path extends string, Query extends ParameterSchemas, Input> extends Omit<
  Call<Caller, Path, Query, Input>,
  'api'
> {
  readonly api: CreatingApi;
  /** Those of the owner. */
  readonly limits: OrganizationLimitValues;
}

interface CreatingDefinition<
  Caller,
  Path extends string,
  Query extends ParameterSchemas,
  Input,
  Of extends Answers,
> extends Omit<Definition<Caller, Path, Query, Input, Of>, 'access' | 'headers' | 'handle'> {
  readonly access: OrganizationsAccess<Caller>;
  /**
   * Makes it in `api.database`, and does nothing else: with an `Idempotency-Key` that is a transaction, which may be
   * undone and run again.
   */
  handle(call: CreatingCall<Caller, Path, Query, Input>): Promise<Exclude<ReplyOf<Of>, typeof SENT>>;
}

/** A POST that makes something: a repeat with the same `Idempotency-Key` has the answer of the first, and makes nothing. */
export function creatingEndpoint<
  Caller,
  const Path extends string,
  const Of extends Answers,
  Query extends ParameterSchemas = NoParameters,
  Input = undefined,
>(path: Path, { handle, ...definition }: CreatingDefinition<Caller, Path, Query, Input, Of>): Endpoint {
  const { access, answers, problems = [] } = definition;
  return endpoint<Caller, Path, Of, Query, Input>('post', path, {
    ...definition,
    headers: IDEMPOTENCY_KEY,
    problems: [...problems, 'request-idempotency-mismatch'],
    async handle(call) {
      const key = readIdempotencyKey(call.request);
      const organizationId = access.ownerOf(call.caller);
      const limits = await call.api.organizationLimits.of(organizationId);
      if (key === null) return handle({ ...call, limits });
      const claim = {
        ...{ key, fingerprint: fingerprintOf(path, call), keepDays: KEY_KEEP_DAYS },
        organizationId,
        authority: access.authorityOf(call.caller),
      };
      const reply = await call.api.database.transaction(
        async (transaction): Promise<Reply<number, unknown>> => {
          const claimed = await claimKey(transaction, claim);
          if (claimed === 'mismatch') throw keyMismatch();
          if (claimed !== 'new') return { body: undefined, ...claimed };
          const made = await handle({ ...call, limits, api: { ...call.api, database: transaction } });
          await keepAnswer(transaction, claim, replyOfRepeat(made, answers));
          return made;
        },
      );
      sendReply(call.response, reply, answers);
      return SENT;
    },
  });
}

/** The SHA-256 of what a call does: Spacing and escapes of its JSON do not matter. */
function fingerprintOf(
  template: string,
  { path, query, body }: Call<unknown, string, ParameterSchemas, unknown>,
): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(['POST', template, path, query, body]))
    .digest();
}
