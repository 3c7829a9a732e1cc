import { randomUUID } from 'node:crypto';
import nodePath from 'node:path';
import { DESCRIPTOR_PATH } from '../../package/layout/layout.ts';
import { DEFAULT_PACKAGE_LIMITS } from '../../package/limits.ts';
import { PLACEHOLDER_CODE } from '../../package/placeholders.ts';
import type { CodeCount, Problem } from '../../package/problem.ts';
import { ARTIFACT_FLAG, command, defined, type GivenFlags } from '../command.ts';
import { CannotRunError, EXIT } from '../exit-codes.ts';
import { followImport, isOpen } from '../follow-import.ts';
import { keepModuleId } from '../module-id.ts';
import { sayPage } from '../portal-page.ts';
import { ProgressLine, sizeOf } from '../progress-line.ts';
import { problemBlocks, textReport } from '../report-text.ts';
import { rulesInForce } from '../rules.ts';
import { openVendor, SERVER_FLAGS, type ServerImport, type VendorSession } from '../server.ts';
import type { Cli } from '../settings.ts';
import { withTemporaryFolder } from '../temporary.ts';
import { openTrusted } from '../trusted-session.ts';
import { uploadPackage } from '../upload-package.ts';
import type { LocatedPackage, ValidatedPath } from '../validate-path.ts';

const FLAGS = {
  '--save-id': {
    text: 'write the ID of a new module into moduleSchema.json',
    conflicts: ['validateOnly', 'wait'],
  },
  '--validate-only': 'validate on the server, and store nothing',
  '--staged': 'do not release the revision: see modulectl release',
  '--rename-scope': 'allow the package to give the module another scope',
  '--no-wait': 'exit after the upload, and output the import ID',
  '--trusted': 'sign in with the token of this CI run, as a trusted publisher of the module',
  '--audience <text>': 'audience of that token (default: the server)',
  '--json': 'output the JSON of the server',
  '--idempotency-key <text>': 'key of this upload (default: a new one)',
  ...ARTIFACT_FLAG,
  ...SERVER_FLAGS,
};
type ImportFlags = GivenFlags<typeof FLAGS>;

/** A package to send. */
interface ReadyPackage {
  /** The ZIP. */
  readonly file: string;
  /** What the person named: the ZIP, or the folder that it was packed from. */
  readonly given: LocatedPackage;
}

async function importPath(given: string, flags: ImportFlags, cli: Cli): Promise<void> {
  const { isFolder, isRejected, packAndValidate, locatedZip, refuseArtifactOfZip } =
    await import('../validate-path.ts');
  const { reportLeftOut } = await import('../left-out.ts');
  const { artifact = null } = flags;
  const isZip = !(await isFolder(given));
  if (isZip && flags.saveId === true)
    throw new CannotRunError(
      `${given} is a ZIP, which --save-id cannot edit. Import the folder that it was made from.`,
    );
  if (isZip) refuseArtifactOfZip(given, artifact);
  const isTrusted = flags.trusted === true;
  // Without a token, nothing has to be packed to say so.
  const session = isTrusted ? null : await openVendor(cli, flags);
  if (isZip) {
    await send(session, { file: given, given: locatedZip(given, DEFAULT_PACKAGE_LIMITS) }, flags, cli);
    return;
  }
  await withTemporaryFolder(async (folder) => {
    const file = nodePath.join(folder, `${nodePath.basename(nodePath.resolve(given))}.zip`);
    // A run that may only import reads no catalogue: then the server decides what the built-in one would reject.
    const rules = await rulesInForce(
      cli,
      session === null ? { offline: true } : { server: session.server, token: flags.token },
    );
    const { validated, written } = await packAndValidate({ folder: given, artifact }, file, rules);
    reportLeftOut(validated.leftOut, cli.output);
    if (isTrusted ? written === null : isRejected(validated)) await reportRejection(validated, flags, cli);
    else await send(session, { file, given: validated }, flags, cli);
  });
}

async function send(
  opened: VendorSession | null,
  ready: ReadyPackage,
  flags: ImportFlags,
  cli: Cli,
): Promise<void> {
  const { output } = cli;
  const session =
    opened ?? (await openTrusted(cli, flags, await descriptorOf(ready.given).catch(() => undefined)));
  const progress = new ProgressLine(output);
  try {
    progress.show('uploading', 0, null);
    const accepted = await uploadPackage(session, ready.file, {
      query: {
        ...defined({ validateOnly: flags.validateOnly, renameScope: flags.renameScope }),
        ...(flags.staged && { release: 'staged' }),
      },
      idempotencyKey: flags.idempotencyKey ?? randomUUID(),
      onSent: (bytes, total) => progress.show('uploading', bytes, total, sizeOf),
      onRetry: (reason, seconds) => {
        progress.end();
        output.warn(`${reason} Trying again in ${seconds} s.`);
      },
    });
    if (flags.wait === false) {
      progress.end();
      if (flags.json === true) output.json(accepted);
      else output.data(`${accepted.importId}\n`);
      output.say(continuesText('<import>'));
      return;
    }
    const ended = await follow(session, accepted, progress);
    progress.end();
    await reportEnd(ended, ready.given, flags, cli);
    await keepId(ended, ready.given, flags, cli);
    const { status, outcome, validateOnly, moduleId } = ended;
    if (status === 'succeeded' && outcome !== 'unchanged' && !validateOnly)
      await sayPage(session, `modules/${moduleId ?? ''}`, output);
  } finally {
    progress.end();
  }
}

function continuesText(importId: string): string {
  return `The import continues on the server. To see its result: modulectl imports show ${importId}`;
}

/** Follows an import to its end. @throws CannotRunError that names the import: it continues when this command fails */
async function follow(
  session: VendorSession,
  accepted: ServerImport,
  progress: ProgressLine,
): Promise<ServerImport> {
  try {
    return await followImport(session, accepted, (row) => {
      const { step, completed, total } = row.progress;
      if (isOpen(row)) progress.show(step, completed, total, step === 'checking' ? sizeOf : String);
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new CannotRunError(`${message}\n${continuesText(accepted.importId)}`, { cause: error });
  }
}

async function descriptorOf({ readEntries }: LocatedPackage): Promise<Buffer | undefined> {
  return (await readEntries(new Set([DESCRIPTOR_PATH]))).get(DESCRIPTOR_PATH);
}

async function reportEnd(
  row: ServerImport,
  given: LocatedPackage,
  flags: ImportFlags,
  cli: Cli,
): Promise<void> {
  const { output } = cli;
  const { importId, status, errors, warnings, errorsTotal, unlistedErrors } = row;
  if (status === 'rejected') cli.exitCode = EXIT.rejected;
  else if (status !== 'succeeded') cli.exitCode = EXIT.couldNotRun;
  if (flags.json === true) {
    output.json(row);
    return;
  }
  // The server's problems have the same properties: it validates with the same code.
  const lists = {
    errors: errors as readonly Problem[],
    warnings: warnings as readonly Problem[],
    errorsTotal,
    unlistedErrors: unlistedErrors as readonly CodeCount[],
  };
  const validated = { ...given, lists };
  if (status === 'rejected') await reportRejection(validated, flags, cli);
  else if (status === 'succeeded') {
    const text = { style: output.messageStyle, width: output.width };
    if (warnings.length > 0) output.messages(`${await problemBlocks(validated, text)}\n\n`);
    output.data(successLines(row, cli));
  } else {
    const end = status === 'cancelled' ? 'was cancelled' : 'failed on the server';
    throw new CannotRunError(
      [`The import ${importId} ${end}.`, ...errors.map(({ detail }) => detail)].join(' '),
    );
  }
}

/** A package without a `moduleId` made a new module: the next one has to name it. */
async function keepId(
  { outcome, validateOnly, moduleId }: ServerImport,
  given: LocatedPackage,
  flags: ImportFlags,
  { output }: Cli,
): Promise<void> {
  if (outcome !== 'created' || validateOnly || moduleId === null) return;
  const folder = given.kind === 'folder' ? given.path : null;
  const descriptor = await descriptorOf(given);
  await keepModuleId({ folder, descriptor, moduleId }, flags.saveId === true, output);
}

async function reportRejection(validated: ValidatedPath, { json }: ImportFlags, cli: Cli): Promise<void> {
  const { output } = cli;
  const { dataStyle: style, width } = output;
  if (json === true) output.json(validated.lists);
  else output.data(await textReport(validated, { style, width }));
  cli.exitCode = EXIT.rejected;
}

function successLines(row: ServerImport, { output: { dataStyle: style } }: Cli): string {
  const { moduleId, revision, validateOnly, importId } = row;
  const outcome = row.outcome ?? '';
  const mark = style(['bold', 'green'], '✓');
  if (validateOnly) return `${mark} The package is valid (outcome: ${outcome}). Nothing was stored.\n`;
  const what = `${style('bold', outcome)} module ${moduleId ?? ''}`;
  return `${mark} ${what}\n  revision  ${revision ?? ''}\n  import    ${importId}\n${stagedLine(row)}`;
}

function stagedLine({ moduleId, revision, outcome, released, warnings }: ServerImport): string {
  // An operator may have declined the revision that the package equals: the warning says how to go on.
  if (released !== false || outcome === 'unchanged') return '';
  const next = warnings.some(({ code }) => code === PLACEHOLDER_CODE)
    ? 'to release the module, replace the placeholders, and import it again'
    : `to release it: modulectl release ${moduleId ?? ''} ${revision ?? ''}`;
  return `  staged    ${next}\n`;
}

/** `modulectl import`: uploads a package and reports the result. */
export const importPackage = command({
  name: 'import',
  summary: 'upload a package and import it',
  description: 'Upload a ZIP or a folder, and report the result. Retries import it only once.',
  args: { path: { usage: '<file|dir>', text: 'a ZIP, or a folder with moduleSchema.json' } },
  flags: FLAGS,
  call: (cli, { path, ...flags }) => importPath(path, flags, cli),
});
