import { codeOf } from '../process/error-code.ts';
import { networkProblem, shownAddress, type Target } from '../process/network-problem.ts';
import { PartProblem } from '../process/part-problem.ts';

const WAITED = () =>
  'Another session holds a lock, or the server is slow: end long transactions (pg_stat_activity), then repeat.';

/** The remedy, by PostgreSQL's error code. */
const ADVICE: Readonly<Record<string, (setting: string) => string>> = {
  '28P01': (setting) => `Correct user and password in ${setting}.`,
  '28000': (setting) =>
    `Create the role, and allow it and this machine in pg_hba.conf of the server; where that requires TLS, add ?sslmode=verify-full to ${setting}.`,
  '3D000': (setting) => `Create the database (createdb), or correct its name in ${setting}.`,
  '53300': () => 'Raise max_connections of the server, lower DATABASE_POOL_SIZE, or put a pooler in between.',
  '57P03': () => 'Wait until the server has started.',
  '42501': () => 'Grant the role of the service what it lacks.',
  '55P03': WAITED,
  '57014': WAITED,
  '25006': (setting) => `${setting} leads to a standby: let it lead to the primary.`,
};

/** Explains an error of the database to an operator. */
export function databaseProblem(error: unknown, url: string, setting = 'DATABASE_URL'): PartProblem {
  const target = { address: shownAddress(url), setting };
  if (error instanceof PartProblem) return error;
  return networkProblem(error, target) ?? explain(error, target);
}

function explain(error: unknown, { address, setting }: Target): PartProblem {
  const message = error instanceof Error ? error.message : String(error);
  const problem = `${address}: ${message}.`;
  const refused = (advice: string | null) => new PartProblem({ problem, advice }, error);
  const advice = ADVICE[codeOf(error) ?? '']?.(setting);
  if (advice !== undefined) return refused(advice);
  if (message.includes('unsupported startup parameter'))
    return refused('Set ignore_startup_parameters = options in pgbouncer.ini, and reload PgBouncer.');
  if (message.includes('does not support SSL'))
    return refused(`Enable TLS on the server, or remove sslmode from ${setting}.`);
  if (message.includes('password must be a string')) return refused(`Put the password into ${setting}.`);
  if (/timeout/i.test(message))
    return refused('Check firewalls and network policies between this machine and the server.');
  return refused(null);
}
