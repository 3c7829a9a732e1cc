import { Command, CommanderError, Help } from 'commander';
import type { AddCommand } from './command.ts';
import { catalogue } from './commands/catalogue.ts';
import { check } from './commands/check.ts';
import { events } from './commands/events.ts';
import { exportModule } from './commands/export.ts';
import { importPackage } from './commands/import.ts';
import { imports } from './commands/imports.ts';
import { init } from './commands/init.ts';
import { keys } from './commands/keys.ts';
import { login, logout } from './commands/login.ts';
import { modules, withdraw } from './commands/modules.ts';
import { pack } from './commands/pack.ts';
import { publishers } from './commands/publishers.ts';
import { release, rollback } from './commands/release.ts';
import { webhooks } from './commands/webhooks.ts';
import { CannotRunError, EXIT, RejectedError } from './exit-codes.ts';
import { Output, safeLines, type OutputStream } from './output.ts';
import packageJson from './package.json' with { type: 'json' };
import type { Cli, Environment, InputStream } from './settings.ts';

/** The parts of its process that a run of `modulectl` uses. */
export interface CliProcess {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly environment: Environment;
}

/** In the order of the help. */
const COMMANDS: readonly AddCommand[] = [
  ...[init, check, pack, login, logout, importPackage, imports, modules, release, rollback, withdraw],
  ...[exportModule, keys, publishers, webhooks, events, catalogue],
];

const PLAIN_HELP = new Help();
const HELP_AFTER = 'Exit codes: 0 success, 1 package rejected, 2 could not run.';

function buildProgram(cli: Cli): Command {
  const { output } = cli;
  const style = output.dataStyle;
  const program = new Command('modulectl')
    .description('Create module packages, check them on your machine, import them to a server.')
    .version(packageJson.version, '--version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show the help of a command')
    .showHelpAfterError('Run it with --help for usage.')
    .exitOverride()
    // Options belong to the command that they follow.
    .enablePositionalOptions()
    .usage('[--version] [--help] <command>')
    .configureHelp({
      styleTitle: (text) => style('bold', text),
      helpWidth: output.width,
      // The list of commands fills the screen; the usage names the two options.
      visibleOptions: (command) => (command.parent === null ? [] : PLAIN_HELP.visibleOptions(command)),
      subcommandTerm: (command) => PLAIN_HELP.subcommandTerm(command).replace(' [options]', ''),
      visibleCommands: (command) =>
        PLAIN_HELP.visibleCommands(command).filter((each) => each.name() !== 'help'),
    })
    .configureOutput({
      writeOut: (text) => output.data(text),
      // Arguments in messages may come from a script that did not check them.
      writeErr: (text) => output.messages(safeLines(text)),
      getOutHasColors: () => output.dataIsColoured,
      getErrHasColors: () => output.messagesAreColoured,
      outputError: (text, write) => write(text.replace(/^error: /, 'modulectl: ')),
    })
    .addHelpText('after', HELP_AFTER);
  for (const add of COMMANDS) add(program, cli);
  return program;
}

/** Runs one command line, without the program's name, and returns its exit code. */
export async function runModulectl(args: readonly string[], system: CliProcess): Promise<number> {
  const { stdin, stdout, stderr, environment } = system;
  const output = new Output(stdout, stderr, environment.colour);
  const cli: Cli = { environment, input: stdin, output, exitCode: EXIT.ok };
  try {
    await buildProgram(cli).parseAsync(args, { from: 'user' });
    return cli.exitCode;
  } catch (error) {
    return failureCode(error, output);
  }
}

function failureCode(error: unknown, output: Output): number {
  // Help and version also end this way, with 0; wrong arguments have been reported.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.couldNotRun;
  if (error instanceof RejectedError) {
    output.fail(error.message);
    return EXIT.rejected;
  }
  output.fail(error instanceof CannotRunError ? error.message : `internal error: ${String(error)}`);
  return EXIT.couldNotRun;
}
