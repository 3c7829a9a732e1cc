import type { Environment } from './environment.ts';
import type { Output } from './output.ts';

/** What every command works with. */
export interface Cli {
  readonly environment: Environment;
  readonly output: Output;
  /** How the process will end; one of `EXIT`. */
  exitCode: number;
}
