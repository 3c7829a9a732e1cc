import type { Command } from 'commander';
import type { ValidationSettings } from '../package/package-report.ts';
import type { Cli } from './cli.ts';

/** Flags that say whose rules a package is judged by. */
export interface RuleFlags {
  readonly server?: string;
  readonly offline?: true;
  readonly refresh?: true;
}

/** Adds the flags that say whose rules a package is judged by. */
export function addRuleFlags(command: Command): Command {
  return command
    .option('--server <url>', "judge by this server's limits and catalogue")
    .option('--refresh', 'ask the server again, whatever is cached')
    .option('--offline', 'judge by the limits and catalogue that are shipped');
}

/**
 * The rules to judge by: a server's where one is set, else those that are shipped.
 * @throws CannotRunError where the server's cannot be had.
 */
export async function rulesInForce(cli: Cli, flags: RuleFlags): Promise<ValidationSettings> {
  if (flags.offline !== true) {
    const { readSettings } = await import('./settings.ts');
    const settings = await readSettings(cli, flags.server === undefined ? {} : { server: flags.server });
    const { server } = settings;
    if (server !== null) {
      const { serverRules } = await import('./server-rules.ts');
      return serverRules(cli, { ...settings, server }, flags.refresh === true);
    }
  }
  return (await import('./shipped-rules.ts')).shippedRules();
}
