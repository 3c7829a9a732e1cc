import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { text as readText } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { checkSettings } from '../../shared/config/check-settings.ts';
import { areAllOk, asJson, asTable, asText } from './print-report.ts';
import { probeParts, type Processes } from './probe-parts.ts';
import { reportToken } from './report-token.ts';

const USAGE = `usage: npm run --silent doctor -- [--json] [--api 1] [--workers 1]
       npm run --silent doctor -- token FILE [--json]

Tries every part that API and worker need, with the settings of this environment, and says what to do about each failure.
What it makes, it removes again. With an access token in a file, or - for standard input, it says what the token opens, and
why not.

  --json       prints the report as JSON
  --api N      how many API processes are to run; for the connections that the database must allow
  --workers N  how many workers are to run

Exit code: 0 every part works, 1 something failed, 2 wrong arguments.`;

interface Arguments extends Processes {
  readonly json: boolean;
  /** The file of an access token; null: the parts are tried. */
  readonly tokenFile: string | null;
}

function readArguments(): Arguments | null {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      api: { type: 'string', default: '1' },
      workers: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const tokenFile = tokenFileOf(positionals);
  return { json: values.json, tokenFile, api: countOf(values.api), workers: countOf(values.workers) };
}

function tokenFileOf([command, file, ...others]: readonly string[]): string | null {
  if (command === undefined) return null;
  if (command === 'token' && file !== undefined && others.length === 0) return file;
  throw new Error('The only command is token, with a file or - for standard input.');
}

function countOf(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new Error(`${text} is not a number of processes.`);
}

/** The first line of the file, without the spaces around it. */
async function readToken(file: string): Promise<string> {
  const text = file === '-' ? await readText(process.stdin) : await readFile(file, 'utf8');
  return text.trim().split('\n', 1)[0] ?? '';
}

/** Prints the report; returns the exit code. */
async function examine({ json, tokenFile, ...processes }: Arguments): Promise<number> {
  const settings = checkSettings();
  const reports =
    tokenFile === null
      ? await probeParts(settings, processes)
      : await reportToken(await readToken(tokenFile), settings);
  const columns = process.stdout.isTTY ? process.stdout.columns : null;
  const text = json ? asJson(reports) : columns === null ? asText(reports) : asTable(reports, columns);
  // Texts of other servers are in it.
  const shown = settings.secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
  await new Promise((resolve) => process.stdout.write(`${shown}\n`, resolve));
  return areAllOk(reports) ? 0 : 1;
}

/** Reads the arguments and runs; returns the exit code. */
async function run(): Promise<number> {
  let args: Arguments | null;
  try {
    args = readArguments();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}\n`);
    return 2;
  }
  if (args !== null) return examine(args);
  process.stdout.write(`${USAGE}\n`);
  return 0;
}

// A part that did not answer in time still has its connection.
process.exit(await run());
