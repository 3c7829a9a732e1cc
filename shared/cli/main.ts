import { Command, CommanderError } from 'commander';
import type { Cli } from './cli.ts';
import { addCatalogue } from './commands/catalogue.ts';
import { addCheck } from './commands/check.ts';
import { addExport } from './commands/export.ts';
import { addImport } from './commands/import.ts';
import { addImports } from './commands/imports.ts';
import { addInit } from './commands/init.ts';
import { addKeys } from './commands/keys.ts';
import { addPack } from './commands/pack.ts';
import type { Environment } from './environment.ts';
import { CannotRunError, EXIT, RejectedError } from './exit-codes.ts';
import { Output } from './output.ts';
import type { OutputStream } from './output.ts';
import { showableText } from '../package/text/showable-text.ts';

/** What a run of `modulectl` touches beside files. */
export interface CliProcess {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly environment: Environment;
}

const HELP_AFTER = `
Exit codes: 0 fine, 1 the package is rejected, 2 could not run.
Settings: flags before MODULECTL_SERVER, MODULECTL_TOKEN and MODULECTL_ORG, and
those before ~/.config/modulectl/config.json { server, token, organization }.`;

function buildProgram(cli: Cli): Command {
  const { output } = cli;
  const style = output.dataStyle;
  const program = new Command('modulectl')
    .description('Makes module packages, checks them on your own machine, and sends them to a server.')
    .helpCommand(false)
    .showHelpAfterError('Add --help to see how.')
    .exitOverride()
    .configureHelp({ styleTitle: (text) => style('bold', text), helpWidth: output.width })
    .configureOutput({
      writeOut: (text) => {
        output.data(text);
      },
      // What is repeated of the arguments may come from a script that did not look at it.
      writeErr: (text) => {
        output.talk(text.split('\n').map(showableText).join('\n'));
      },
      getOutHasColors: () => output.dataIsColoured,
      getErrHasColors: () => output.talkIsColoured,
      outputError: (text, write) => {
        write(text.replace(/^error: /, 'modulectl: '));
      },
    })
    .addHelpText('after', HELP_AFTER);
  addInit(program, cli);
  addCheck(program, cli);
  addPack(program, cli);
  addImport(program, cli);
  addImports(program, cli);
  addExport(program, cli);
  addKeys(program, cli);
  addCatalogue(program, cli);
  return program;
}

/** Runs one command line, without the program's name, and gives its exit code. */
export async function runModulectl(args: readonly string[], system: CliProcess): Promise<number> {
  const { stdout, stderr, environment } = system;
  const output = new Output(stdout, stderr, environment.colour);
  const cli: Cli = { environment, output, exitCode: EXIT.ok };
  try {
    await buildProgram(cli).parseAsync(args, { from: 'user' });
    return cli.exitCode;
  } catch (error) {
    return failureCode(error, output);
  }
}

function failureCode(error: unknown, output: Output): number {
  // Help that was asked for ends so too, with 0; what is wrong in the arguments has been told.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.couldNotRun;
  if (error instanceof RejectedError) {
    output.fail(error.message);
    return EXIT.rejected;
  }
  const isOurs = !(error instanceof CannotRunError);
  output.fail(isOurs ? `unexpected fault: ${String(error)}` : error.message);
  return EXIT.couldNotRun;
}
