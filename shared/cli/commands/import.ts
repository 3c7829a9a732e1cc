import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import nodePath from 'node:path';
import type { Command } from 'commander';
import { DEFAULT_PACKAGE_LIMITS } from '../../package/limits.ts';
import type { Problem } from '../../package/problem.ts';
import type { Cli } from '../cli.ts';
import { CannotRunError, EXIT } from '../exit-codes.ts';
import type { JudgedPath } from '../validate-path.ts';
import { ProgressLine, sizeOf } from '../progress-line.ts';
import { addServerFlags } from '../server-flags.ts';
import type { ServerFlags } from '../server-flags.ts';
import type { VendorSession } from '../server-session.ts';
import type { ServerImport } from '../upload-package.ts';

interface ImportFlags extends ServerFlags {
  readonly validateOnly?: true;
  readonly wait: boolean;
  readonly json?: true;
  readonly idempotencyKey?: string;
}

/** A package that is ready to be sent, and how to tell what is wrong with it. */
interface ReadyPackage {
  readonly file: string;
  withProblems(lists: JudgedPath['lists']): JudgedPath;
}

async function importPackage(given: string, flags: ImportFlags, cli: Cli): Promise<void> {
  const { openVendor } = await import('../server-session.ts');
  const { isFolder, judgedZip } = await import('../validate-path.ts');
  const session = await openVendor(cli, flags);
  if (!(await isFolder(given))) {
    const withProblems = (lists: JudgedPath['lists']) => judgedZip(given, lists, DEFAULT_PACKAGE_LIMITS);
    await send(session, { file: given, withProblems }, flags, cli);
    return;
  }
  const { removedAfter } = await import('../removed-after.ts');
  const folder = await mkdtemp(nodePath.join(os.tmpdir(), 'modulectl-'));
  await removedAfter(folder, async () => {
    const file = nodePath.join(folder, `${nodePath.basename(nodePath.resolve(given))}.zip`);
    const ready = await packed(given, file, flags, cli);
    if (ready !== null) await send(session, ready, flags, cli);
  });
}

/** The package of a folder; null, with the report told, where no server need be asked what is wrong. */
async function packed(
  folder: string,
  file: string,
  flags: ImportFlags,
  cli: Cli,
): Promise<ReadyPackage | null> {
  const { rulesInForce } = await import('../rules-in-force.ts');
  const { isRejected, packAndJudge } = await import('../validate-path.ts');
  const { server } = flags;
  const rules = await rulesInForce(cli, server === undefined ? {} : { server });
  const { judged } = await packAndJudge(folder, file, rules);
  for (const each of judged.litter) cli.output.warn(`${each} is litter of the operating system: not sent.`);
  if (isRejected(judged)) {
    await reportRejection(judged, cli);
    return null;
  }
  return { file, withProblems: (lists) => ({ ...judged, lists }) };
}

async function send(
  session: VendorSession,
  ready: ReadyPackage,
  flags: ImportFlags,
  cli: Cli,
): Promise<void> {
  const { uploadPackage } = await import('../upload-package.ts');
  const { followImport } = await import('../follow-import.ts');
  const progress = new ProgressLine(cli.output);
  try {
    progress.show('uploading', 0, null);
    const accepted = await uploadPackage(session, ready.file, {
      isValidateOnly: flags.validateOnly === true,
      idempotencyKey: flags.idempotencyKey ?? randomUUID(),
      onSent: (bytes, total) => {
        progress.show('uploading', bytes, total, sizeOf);
      },
      onRetry: (reason, seconds) => {
        progress.end();
        cli.output.warn(`${reason} Trying again in ${seconds} s.`);
      },
    });
    if (!flags.wait) {
      progress.end();
      tellAccepted(accepted, flags, cli);
      return;
    }
    const ended = await followImport(
      session,
      accepted,
      ({ status, progress: { step, completed, total } }) => {
        if (status === 'queued' || status === 'running')
          progress.show(step, completed, total, step === 'checking' ? sizeOf : String);
      },
    );
    progress.end();
    await tellEnd(ended, ready, flags, cli);
  } finally {
    progress.end();
  }
}

function tellAccepted(row: ServerImport, flags: ImportFlags, { output }: Cli): void {
  if (flags.json === true) output.json(`${JSON.stringify(row)}\n`);
  else output.data(`${row.importId}\n`);
  output.say('The import goes on. See what becomes of it: modulectl imports show IMPORT');
}

async function tellEnd(row: ServerImport, ready: ReadyPackage, flags: ImportFlags, cli: Cli): Promise<void> {
  const { output } = cli;
  if (row.status === 'rejected') cli.exitCode = EXIT.rejected;
  else if (row.status !== 'succeeded') cli.exitCode = EXIT.couldNotRun;
  if (flags.json === true) {
    output.json(`${JSON.stringify(row)}\n`);
    return;
  }
  const judged = ready.withProblems(listsOf(row));
  if (row.status === 'rejected') await reportRejection(judged, cli);
  else if (row.status === 'succeeded') {
    if (row.warnings.length > 0) await reportProblems(judged, cli);
    output.data(successLine(row, cli));
  } else {
    const reason = row.errors.map(({ detail }) => ` ${detail}`).join('');
    throw new CannotRunError(
      `The import ${row.importId} ${row.status === 'cancelled' ? 'was cancelled' : 'failed on the server'}.${reason}`,
    );
  }
}

/** The members of the server's problems are those of the rules: it judges by the same code. */
function listsOf({ errors, warnings, errorsTotal }: ServerImport): JudgedPath['lists'] {
  return { errors: errors as readonly Problem[], warnings: warnings as readonly Problem[], errorsTotal };
}

async function reportProblems(judged: JudgedPath, { output }: Cli): Promise<void> {
  const { problemBlocks } = await import('../report-text.ts');
  output.talk(`${await problemBlocks(judged, { style: output.talkStyle, width: output.width })}\n\n`);
}

async function reportRejection(judged: JudgedPath, cli: Cli): Promise<void> {
  const { textReport } = await import('../report-text.ts');
  cli.output.data(await textReport(judged, { style: cli.output.dataStyle, width: cli.output.width }));
  cli.exitCode = EXIT.rejected;
}

function successLine(
  { outcome, moduleId, revision, validateOnly, importId }: ServerImport,
  { output }: Cli,
): string {
  const style = output.dataStyle;
  const mark = style(['bold', 'green'], '✓');
  if (validateOnly) return `${mark} The server would take it: ${outcome ?? ''}. Nothing was stored.\n`;
  const what = `${style('bold', outcome ?? '')} module ${moduleId ?? ''}`;
  return `${mark} ${what}\n  revision  ${revision ?? ''}\n  import    ${importId}\n`;
}

/** `modulectl import`: a package to the server, and what it says. */
export function addImport(program: Command, cli: Cli): void {
  const command = program
    .command('import')
    .summary('send a package to the server')
    .description(
      'Packs a folder if need be, uploads the package, and tells what became of it.\n' +
        'What breaks off is tried again; the package is imported once.',
    )
    .argument('<file|dir>', 'a ZIP, or a folder with moduleSchema.json')
    .option('--validate-only', 'have it judged by every rule, and store nothing')
    .option('--no-wait', 'end as soon as the server has the package, and write the ID of the import')
    .option('--json', 'write the import as the server tells it')
    .option('--idempotency-key <text>', 'key of this upload (default: a new one)');
  addServerFlags(command).action((given: string, flags: ImportFlags) => importPackage(given, flags, cli));
}
