import { parseArgs } from 'node:util';
import { checkSettings } from '../../shared/config/check-settings.ts';
import { areAllOk, asJson, asTable, asText } from './print-report.ts';
import { probeParts } from './probe-parts.ts';
import type { Processes } from './probe-parts.ts';

const USAGE = `usage: npm run --silent doctor -- [--json] [--api 1] [--workers 1]

Tries every part that API and worker need, with the settings of this environment, and says what to do about each failure.
What it makes, it removes again.

  --json       prints the report as JSON
  --api N      how many API processes are to run; for the connections that the database must allow
  --workers N  how many workers are to run

Exit code: 0 every part works, 1 something failed, 2 wrong arguments.`;

interface Arguments extends Processes {
  readonly json: boolean;
}

function readArguments(): Arguments | null {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      api: { type: 'string', default: '1' },
      workers: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  return { json: values.json, api: countOf(values.api), workers: countOf(values.workers) };
}

function countOf(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new Error(`${text} is not a number of processes.`);
}

/** Prints the report; returns the exit code. */
async function examine({ json, ...processes }: Arguments): Promise<number> {
  const settings = checkSettings();
  const reports = await probeParts(settings, processes);
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
