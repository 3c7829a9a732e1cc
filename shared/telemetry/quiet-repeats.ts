import type { LoggerOptions } from 'pino';
import { codeOf } from '../process/error-code.ts';
import { networkProblem } from '../process/network-problem.ts';
import type { Problem } from '../process/part-problem.ts';
import { GrowingIntervals } from './growing-intervals.ts';

/** PostgreSQL stops, starts or was killed (appendix A, class 57). */
const AWAY = new Set(['57P01', '57P02', '57P03']);
const RESET = new Set(['ECONNRESET', 'EPIPE']);
/** The drivers' own errors have no code. */
const LOST =
  /^(?:Connection (?:terminated|ended|is closed)|connection ended|Knex: Timeout acquiring a connection)/i;
/** Messages are constants, and addresses those of the settings: this is never reached. */
const MOST_FAILURES = 1_000;

/** A failure that is repeated while its part is unavailable. */
class RepeatedFailure {
  readonly intervals = new GrowingIntervals();
  suppressed = 0;
}

/**
 * While a part is unavailable, everything that uses it fails again and again. The first line of each failure has the problem
 * and the remedy instead of a stack; later ones come at growing intervals, with the number of those left out in `suppressed`.
 */
export function quietRepeats(): NonNullable<LoggerOptions['hooks']> {
  const failures = new Map<string, RepeatedFailure>();
  return {
    logMethod(args, method) {
      const [fields, message] = args as readonly unknown[];
      const problem = hasError(fields) ? connectionProblem(fields.err) : null;
      if (!hasError(fields) || problem === null) {
        method.apply(this, args);
        return;
      }
      if (failures.size > MOST_FAILURES) failures.clear();
      const name = `${String(message)} ${problem.problem}`;
      const failure = failures.get(name) ?? new RepeatedFailure();
      failures.set(name, failure);
      if (!failure.intervals.isDue()) {
        failure.suppressed += 1;
        return;
      }
      const { suppressed } = failure;
      failure.suppressed = 0;
      // The line's own advice names the setting, and the address that was tried.
      method.apply(this, [{ ...problem, suppressed, ...fields, err: undefined }, String(message)]);
    },
  };
}

function hasError(fields: unknown): fields is { readonly err: unknown } {
  return typeof fields === 'object' && fields !== null && 'err' in fields;
}

/** The problem of a connection to a part; null for any other error. */
function connectionProblem(error: unknown): Problem | null {
  if (!(error instanceof Error)) return null;
  const hasAddress = 'address' in error && 'port' in error;
  // A client went away: that is no part.
  if (!hasAddress && RESET.has(codeOf(error) ?? '')) return null;
  const address = hasAddress ? `${String(error.address)}:${String(error.port)}` : 'the server';
  const network = networkProblem(error, { address, setting: 'its address in the settings' });
  if (network !== null) return { problem: network.problem, advice: network.advice };
  if (!AWAY.has(codeOf(error) ?? '') && !LOST.test(error.message)) return null;
  return { problem: error.message, advice: 'Wait until the server runs again, or start it.' };
}
