import { mkdir, readdir, writeFile } from 'node:fs/promises';
import nodePath from 'node:path';
import type { Command } from 'commander';
import { showableText } from '../../package/text/showable-text.ts';
import type { Cli } from '../cli.ts';
import { CannotRunError, reasonOf } from '../exit-codes.ts';

interface InitFlags {
  readonly name?: string;
  readonly server?: string;
}

/** The address of a stack that `npm start` makes: its schemas serve as well as any other's. */
const STANDARD_SERVER = 'http://127.0.0.1:8080';
const MAX_NAME_LENGTH = 200;

/** `soil-moisture` → `Soil moisture`. */
function nameOf(folder: string, name: string | undefined): string {
  const words = (name ?? nodePath.basename(nodePath.resolve(folder)).replace(/[-_.\s]+/g, ' ')).trim();
  const chosen = words === '' ? 'My module' : words;
  if (Array.from(chosen).length > MAX_NAME_LENGTH || showableText(chosen) !== chosen)
    throw new CannotRunError(
      `A name has at most ${MAX_NAME_LENGTH} characters, and only such as can be seen. Give one with --name.`,
    );
  return name === undefined ? chosen.charAt(0).toUpperCase() + chosen.slice(1) : chosen;
}

/** Makes the folder, which may be there as long as nothing is in it. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    if ((await readdir(folder)).length === 0) return;
  } catch (error) {
    throw new CannotRunError(`Cannot make the folder ${folder}: ${reasonOf(error)}.`);
  }
  throw new CannotRunError(`The folder ${folder} is not empty. Name a new one.`);
}

async function init(folder: string, flags: InitFlags, cli: Cli): Promise<void> {
  const { readSettings } = await import('../settings.ts');
  const { scaffold, DECISIONS } = await import('../scaffold.ts');
  const given = flags.server === undefined ? {} : { server: flags.server };
  const { server } = await readSettings(cli, given);
  const files = scaffold({ name: nameOf(folder, flags.name), server: server ?? STANDARD_SERVER });
  await makeFolder(folder);
  for (const [path, content] of Object.entries(files)) {
    const file = nodePath.join(folder, path);
    await mkdir(nodePath.dirname(file), { recursive: true });
    await writeFile(file, content, { flag: 'wx' });
  }
  const style = cli.output.dataStyle;
  const shown = showableText(folder);
  const decisions = DECISIONS.map(([place, what]) => `  ${style('cyan', place.padEnd(18))} ${what}`);
  cli.output.data(
    [
      `${style(['bold', 'green'], '✓')} ${shown} has a module that passes every rule.`,
      '',
      `${style('bold', 'Decide in moduleSchema.json')} (editors explain each field):`,
      ...decisions,
      '',
      'The other files say in comments what is to be decided. Then run:',
      `  modulectl check ${shown}`,
      '',
    ].join('\n'),
  );
}

/** `modulectl init`: a folder that passes `check`. */
export function addInit(program: Command, cli: Cli): void {
  program
    .command('init')
    .summary('start a module in a new folder')
    .description('Writes a folder that passes check, and tells what its author has to decide.')
    .argument('<dir>', 'a folder that is new or empty')
    .option('--name <text>', 'name of the module in English (default: from the folder)')
    .option('--server <url>', 'server whose schemas editors read')
    .action((folder: string, flags: InitFlags) => init(folder, flags, cli));
}
