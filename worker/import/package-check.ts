import { Ajv } from 'ajv';
import { Type, type Static } from 'typebox';
import type { Config } from '../../shared/config/config.ts';
import type { RunningImport } from '../../shared/db/modules/registry-state.ts';
import { NoAnswerError, OutboundFetch, type OutboundAnswer } from '../../shared/outbound/outbound-fetch.ts';
import { AddressRefusedError } from '../../shared/outbound/outbound-url.ts';
import { withoutValues } from '../../shared/package/descriptor/descriptor.ts';
import type { PackageContent, PackageReport } from '../../shared/package/package-report.ts';
import { OPERATOR_CODE, type OperatorCode } from '../../shared/package/problem-codes.ts';
import { orderedProblem, problem, type Problem, type Severity } from '../../shared/package/problem.ts';
import { dateTimeText } from '../../shared/structures/text-rules.ts';
import type { Log } from '../../shared/telemetry/log.ts';
import { openSigner, type Signer } from '../../shared/webhooks/sign-webhook.ts';
import { callHeaders } from '../../shared/webhooks/webhook-call.ts';

const TYPE = 'package.check';
const CHECK_MS = 30_000;
const MAX_ANSWER_BYTES = 256 * 1024;
const MAX_PROBLEMS = 100;

const SEVERITIES: readonly Severity[] = ['error', 'warning'];

/** Without control characters, and without half a surrogate pair, which the database cannot store. */
const LINE = '^[^\\p{Cc}\\p{Cs}]+$';
/** JSON Pointer (RFC 6901, section 3) of such characters. */
const POINTER = '^(?:/(?:[^~/\\p{Cc}\\p{Cs}]|~[01])*)*$';

const answerSchema = Type.Object(
  {
    problems: Type.Array(
      Type.Object(
        {
          code: Type.Unsafe<OperatorCode>({ type: 'string', maxLength: 64, pattern: OPERATOR_CODE.source }),
          detail: Type.String({ maxLength: 1_000, pattern: LINE }),
          severity: Type.Unsafe<Severity>({ type: 'string', enum: [...SEVERITIES] }),
          entry: Type.Optional(Type.String({ maxLength: 1_024, pattern: LINE })),
          pointer: Type.Optional(Type.String({ maxLength: 1_024, pattern: POINTER })),
        },
        { additionalProperties: false },
      ),
      { maxItems: MAX_PROBLEMS },
    ),
  },
  { additionalProperties: false },
);
// It stops at the first error, so that a hostile answer costs little.
const isAnswer = new Ajv({ ownProperties: true }).compile<Static<typeof answerSchema>>(answerSchema);

/** The operator's check did not answer as docs/extending.md says. The message contains nothing of its answer. */
export class PackageCheckError extends Error {
  override readonly name = 'PackageCheckError';
}

/** The attempt that a check is part of. */
interface CheckingAttempt {
  readonly log: Log;
  readonly signal: AbortSignal;
}

type CheckedImport = Pick<RunningImport, 'id' | 'organizationId' | 'validateOnly' | 'sha256' | 'sizeBytes'>;

/** Has packages without errors checked by a service of the operator, which is called as webhooks are. */
export class PackageCheck {
  readonly #url: string;
  readonly #isRequired: boolean;
  readonly #signer: Signer;
  // The operator chose the address: it may be in a private network.
  readonly #outbound = new OutboundFetch({ allowLoopback: true, allowPrivate: true });
  readonly #stopping = new AbortController();

  constructor({ url, secret, isRequired }: NonNullable<Config['packageCheck']>) {
    this.#url = url;
    this.#isRequired = isRequired;
    this.#signer = openSigner({ secret });
  }

  /** Ends what runs, and every later call: other workers make them. */
  stop(): void {
    this.#stopping.abort();
  }

  /**
   * The report with what the operator's check found; of a package with errors, the report as it is.
   * @throws PackageCheckError where the check is required, or was ended early, and gave no answer
   */
  async check(report: PackageReport, run: CheckedImport, attempt: CheckingAttempt): Promise<PackageReport> {
    const { content, problems } = report;
    if (content === null) return report;
    const signal = AbortSignal.any([attempt.signal, this.#stopping.signal]);
    const found = await this.#problemsOf(run, content, signal).catch((error: unknown) => {
      if (this.#isRequired || signal.aborted || !(error instanceof PackageCheckError)) throw error;
      attempt.log.warn({ err: error }, 'package not checked by the operator');
      return [problem('check-unavailable', "The operator's own check of packages did not answer.")];
    });
    const isRefused = found.some(({ severity }) => severity === 'error');
    return { ...report, problems: [...problems, ...found], content: isRefused ? null : content };
  }

  async #problemsOf(
    run: CheckedImport,
    content: PackageContent,
    signal: AbortSignal,
  ): Promise<readonly Problem[]> {
    const at = new Date();
    const body = bodyOf(run, content, at);
    const headers = callHeaders({ id: run.id, body }, [this.#signer], at);
    const limits = { maxBytes: MAX_ANSWER_BYTES, timeoutMs: CHECK_MS, signal };
    try {
      return problemsIn(await this.#outbound.fetch(this.#url, { method: 'POST', headers, body, ...limits }));
    } catch (error) {
      if (!(error instanceof NoAnswerError) && !(error instanceof AddressRefusedError)) throw error;
      throw new PackageCheckError(`PACKAGE_CHECK: ${error.message}`);
    }
  }
}

/** The body of a call, in the form of webhooks. */
function bodyOf(run: CheckedImport, { descriptor, files }: PackageContent, at: Date): string {
  const { id: importId, organizationId, validateOnly, sizeBytes } = run;
  const data = {
    ...{ importId, organizationId, validateOnly, moduleId: descriptor.moduleId },
    archive: { sha256: run.sha256.toString('hex'), sizeBytes },
    descriptor: withoutValues(descriptor),
    files: files.map(({ path, mediaType, sizeBytes: size, sha256 }) => ({
      ...{ path, mediaType, sizeBytes: size, sha256 },
    })),
  };
  return JSON.stringify({ type: TYPE, timestamp: dateTimeText(at), data });
}

function problemsIn({ status, body }: OutboundAnswer): readonly Problem[] {
  if (status !== 200)
    throw new PackageCheckError(`PACKAGE_CHECK: the answer has the status ${status}, not 200`);
  const answer = jsonOf(body);
  if (!isAnswer(answer)) {
    const [error] = isAnswer.errors ?? [];
    // The place in the schema: the place in the answer may contain names that the answer chose.
    throw new PackageCheckError(`PACKAGE_CHECK: the answer breaks ${error?.schemaPath ?? 'its schema'}`);
  }
  return answer.problems.map(orderedProblem);
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new PackageCheckError('PACKAGE_CHECK: the answer is not JSON');
  }
}
