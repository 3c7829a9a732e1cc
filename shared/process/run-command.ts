import { parseArgs, type ParseArgsConfig } from 'node:util';
import { loadMigrationConfig } from '../config/config.ts';
import { SettingsError } from '../config/settings-reader.ts';
import { databaseProblem } from '../db/database-problem.ts';
import { codeOf } from './error-code.ts';
import { PartProblem } from './part-problem.ts';
import { runProcess } from './run-process.ts';

type OptionsConfig = NonNullable<ParseArgsConfig['options']>;

type Values<Options extends OptionsConfig> = ReturnType<typeof parseArgs<{ options: Options }>>['values'];

/**
 * Reads the arguments of the command line. Null where nothing is to be done: after `--help`, which prints the usage, and
 * after a wrong argument, which also sets exit code 2.
 */
export function readArguments<const Options extends OptionsConfig>(
  usage: string,
  options: Options,
): Values<Options> | null {
  if (process.argv.slice(2).includes('--help')) {
    process.stdout.write(`usage: ${usage}\n`);
    return null;
  }
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\nusage: ${usage}\n`);
    process.exitCode = 2;
    return null;
  }
}

/**
 * Runs a command of operators to its end: `--help` prints the usage, a wrong argument ends it with exit code 2, and a
 * part that does not work with one line and exit code 1. The command returns its exit code.
 */
export function runCommand<const Options extends OptionsConfig>(
  usage: string,
  options: Options,
  act: (values: Values<Options>) => Promise<number>,
): void {
  const values = readArguments(usage, options);
  if (values === null) return;
  runProcess(async () => {
    process.exitCode = await act(values).catch((error: unknown) => {
      throw explained(error);
    });
    return { stop: () => Promise.resolve() };
  });
}

/** A part that does not work needs no stack. By default the database is the one that DATABASE_URL names. */
export function explained(error: unknown, database?: { readonly url: string; readonly setting: string }) {
  if (error instanceof SettingsError || error instanceof PartProblem) return error;
  // An error with a code is one of the driver, but for those of files.
  if (codeOf(error) === null || (error instanceof Error && 'path' in error)) return error;
  return databaseProblem(error, database?.url ?? loadMigrationConfig().databaseUrl, database?.setting);
}
