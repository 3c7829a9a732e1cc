import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { text as readText } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { checkSettings, type CheckedSettings } from '../../shared/config/check-settings.ts';
import { areAllOk, asText, type Report } from './print-report.ts';
import { addressesOf, probeParts, probeSettings, type Processes } from './probe-parts.ts';
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

/** `tokenFile` is the file of an access token; undefined: the parts are tried. */
function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      api: { type: 'string', default: '1' },
      workers: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  const [command, tokenFile, ...others] = positionals;
  if (command !== undefined && (command !== 'token' || tokenFile === undefined || others.length > 0))
    throw new Error('The only command is token, with a file or - for standard input.');
  for (const text of [values.api, values.workers])
    if (!/^\d{1,4}$/.test(text)) throw new Error(`${text} is not a number of processes.`);
  return { ...values, tokenFile, api: Number(values.api), workers: Number(values.workers) };
}

/** The first line of the file, without the spaces around it. */
async function readToken(file: string): Promise<string> {
  const text = file === '-' ? await readText(process.stdin) : await readFile(file, 'utf8');
  return text.trim().split('\n', 1)[0] ?? '';
}

/** Prints the report; returns the exit code. */
async function examine({ json, tokenFile, ...processes }: ReturnType<typeof readArguments>): Promise<number> {
  const settings = checkSettings();
  const report = await reportOf(settings, tokenFile, processes);
  const text = json ? JSON.stringify({ ok: areAllOk(report), parts: report }, null, 2) : asText(report);
  // Texts of other servers are in it.
  const shown = settings.secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
  await new Promise((resolve) => process.stdout.write(`${shown}\n`, resolve));
  return areAllOk(report) ? 0 : 1;
}

async function reportOf(
  settings: CheckedSettings,
  tokenFile: string | undefined,
  processes: Processes,
): Promise<Report> {
  const { config } = settings;
  const addresses = addressesOf(config);
  if (config === null || addresses === null) return { settings: probeSettings(settings) };
  if (tokenFile !== undefined)
    return { token: await reportToken(await readToken(tokenFile), config.auth, addresses) };
  return { settings: probeSettings(settings), ...(await probeParts(config, addresses, processes)) };
}

/** Reads the arguments and runs; returns the exit code. */
async function run(): Promise<number> {
  try {
    const args = readArguments();
    if (!args.help) return await examine(args);
    process.stdout.write(`${USAGE}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}\n`);
    return 2;
  }
}

// A part that did not answer in time still has its connection.
process.exit(await run());
