import { mkdir, readdir, writeFile } from 'node:fs/promises';
import nodePath from 'node:path';
import { showableText } from '../../package/text/showable-text.ts';
import { command } from '../command.ts';
import { CannotRunError, reasonOf } from '../exit-codes.ts';
import { rulesInForce } from '../rules.ts';
import { DECISIONS, scaffold } from '../scaffold.ts';
import { readSettings } from '../settings.ts';

/** The address of the stack that `npm start` runs; the schemas are the same on every server. */
const STANDARD_SERVER = 'http://127.0.0.1:8080';
const MAX_NAME_LENGTH = 200;

/** `soil-moisture` → `Soil moisture`. */
function nameOf(folder: string, name: string | undefined): string {
  const words = (name ?? nodePath.basename(nodePath.resolve(folder)).replace(/[-_.\s]+/g, ' ')).trim();
  const text = words === '' ? 'My module' : words;
  if (Array.from(text).length > MAX_NAME_LENGTH || showableText(text) !== text)
    throw new CannotRunError(
      `A name has at most ${MAX_NAME_LENGTH} visible characters. Choose one with --name.`,
    );
  return name === undefined ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** Creates the folder; it may already exist if it is empty. */
async function createFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    if ((await readdir(folder)).length === 0) return;
  } catch (error) {
    throw new CannotRunError(`Cannot create the folder ${folder}: ${reasonOf(error)}.`);
  }
  throw new CannotRunError(`The folder ${folder} is not empty. Choose a new one.`);
}

/** `modulectl init`: creates a folder that passes `check`. */
export const init = command({
  name: 'init',
  summary: 'create a module in a new folder',
  description: 'Create a folder that passes check, and list what you have to decide.',
  args: { folder: { usage: '<dir>', text: 'a new or empty folder' } },
  flags: {
    '--name <text>': 'name of the module in English (default: from the folder)',
    '--server <url>': 'server whose IDs it uses, and whose schemas your editor reads',
    '--offline': 'use the built-in IDs',
  },
  async call(cli, flags) {
    const { folder } = flags;
    const { server: setServer } = await readSettings(cli, { server: flags.server });
    const name = nameOf(folder, flags.name);
    await createFolder(folder);
    const rules = await rulesInForce(cli, flags, { fallsBack: true });
    const server = setServer ?? rules.server ?? STANDARD_SERVER;
    const { files, missing } = scaffold({ name, server, catalogue: rules.byKey });
    for (const [path, content] of Object.entries(files)) {
      const file = nodePath.join(folder, path);
      await mkdir(nodePath.dirname(file), { recursive: true });
      await writeFile(file, content, { flag: 'wx' });
    }
    return { origin: rules.origin, missing };
  },
  show({ origin, missing }, { output }, { folder }) {
    const style = output.dataStyle;
    const shown = showableText(folder);
    const decisions = DECISIONS.map(([field, what]) => `  ${style('cyan', field.padEnd(18))} ${what}`);
    output.data(
      [
        `${style(['bold', 'green'], '✓')} Created a module in ${shown} that passes every rule.`,
        `  IDs: ${showableText(origin)}`,
        ...(missing.length === 0 ? [] : [`  Left out, not in the catalogue: ${missing.join(', ')}`]),
        '',
        `${style('bold', 'Decide in moduleSchema.json')} (your editor explains each field):`,
        ...decisions,
        '',
        'Comments in the other files say what to decide there. A module with placeholders is not released.',
        'This lists them:',
        `  modulectl check ${shown}`,
        '',
      ].join('\n'),
    );
  },
});
