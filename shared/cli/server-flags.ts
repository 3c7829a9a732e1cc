import type { Command } from 'commander';

/** Flags that say which server is asked, and by whom. */
export interface ServerFlags {
  readonly server?: string;
  readonly token?: string;
  readonly org?: string;
}

/** Adds the flags that say which server is asked, and by whom. */
export function addServerFlags(command: Command): Command {
  return command
    .option('--server <url>', 'address of the server')
    .option('--token <token>', 'bearer token; others may see it here, unlike in MODULECTL_TOKEN')
    .option('--org <id>', 'your organization');
}
