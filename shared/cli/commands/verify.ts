import { readFile } from 'node:fs/promises';
import { InvalidArgumentError, type Command } from 'commander';
import { readPublicationRecord, type PublicationRecord } from '../../package/record/publication-record.ts';
import type { ContentDifference } from '../../package/record/compare-content.ts';
import { CannotRunError, EXIT, reasonOf } from '../exit-codes.ts';
import { safeLines } from '../output.ts';
import { answered, openPublic } from '../server.ts';
import type { Cli } from '../settings.ts';
import type { FoundContent } from '../verify/read-content.ts';
import type { Verification } from '../verify/verify-content.ts';

interface VerifyFlags {
  readonly record?: string;
  readonly module?: string;
  readonly revision?: number;
  readonly server?: string;
  readonly json?: true;
}

async function recordInFile(file: string): Promise<PublicationRecord> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CannotRunError(`Cannot read ${file}: ${reasonOf(error)}.`);
  });
  const record = readPublicationRecord(parsed(text));
  if (record === null)
    throw new CannotRunError(`${file} is not the record of a revision, as publicationRecords answers it.`);
  return record;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function recordOnServer(
  { module, revision, server }: VerifyFlags,
  { descriptor }: FoundContent,
  cli: Cli,
): Promise<PublicationRecord> {
  const moduleId = module ?? descriptor?.moduleId ?? null;
  if (moduleId === null)
    throw new CannotRunError('The package does not name its module. Name it with --module.');
  const client = await openPublic(cli, server);
  const params = { path: { moduleId }, query: { ...(revision !== undefined && { revision }) } };
  const record = readPublicationRecord(
    await answered(client.GET('/api/v8.0/publicationRecords/{moduleId}', { params })),
  );
  if (record === null) throw new CannotRunError('The server did not answer with a record.');
  return record;
}

async function verify(path: string, flags: VerifyFlags, cli: Cli): Promise<void> {
  const { readFolderContent, readZipContent } = await import('../verify/read-content.ts');
  const { verifyContent } = await import('../verify/verify-content.ts');
  const { isFolder } = await import('../validate-path.ts');
  const known = flags.record === undefined ? null : await recordInFile(flags.record);
  const found = (await isFolder(path)) ? await readFolderContent(path) : await readZipContent(path);
  const record = known ?? (await recordOnServer(flags, found, cli));
  const result = await verifyContent(found, record);
  const isVerified = result.differences.length === 0 && !result.hasUnnamedDifferences;
  if (flags.json === true) {
    const { moduleId, revision } = record;
    cli.output.json({ verified: isVerified, moduleId, revision, ...result });
  } else if (isVerified) cli.output.data(safeLines(describeVerified(path, found, record, result)));
  else cli.output.data(safeLines(describeDifferences(path, record, result)));
  if (!isVerified) cli.exitCode = EXIT.rejected;
}

function describeVerified(
  path: string,
  { descriptor }: FoundContent,
  { moduleId, revision, vendorName, importer, checks, importedAt }: PublicationRecord,
  { isUploadedArchive }: Verification,
): string {
  const { kind, repository, commit } = importer;
  const from = repository ?? 'a trusted publisher that names no repository';
  const by =
    kind === 'member' ? 'by a member of the vendor' : `from ${from}${commit === null ? '' : ` at ${commit}`}`;
  const hasValues = (descriptor?.environmentVariables.length ?? 0) > 0;
  return [
    `${path} is revision ${revision} of module ${moduleId}.`,
    `  content   ${isUploadedArchive ? 'the uploaded archive, byte for byte' : 'every file and the descriptor are the same'}`,
    `  vendor    ${vendorName}`,
    `  imported  ${importedAt} ${by}`,
    `  checks    ${checks.map(({ name, version }) => `${name} ${version}`).join(', ')}`,
    ...(hasValues && !isUploadedArchive
      ? ['  The values of environment variables are not in the record: they were not compared.']
      : []),
    '',
  ].join('\n');
}

function describeDifferences(
  path: string,
  { moduleId, revision }: PublicationRecord,
  { differences, hasUnnamedDifferences }: Verification,
): string {
  return [
    `${path} is not revision ${revision} of module ${moduleId}:`,
    ...differences.map((each) => `  ${each.kind.padEnd(8)}  ${describePath(each)}`),
    ...(hasUnnamedDifferences
      ? ['  Its files differ. The record does not name the files: fetch it without files=false.']
      : []),
    '',
  ].join('\n');
}

function describePath(difference: ContentDifference): string {
  return difference.kind === 'renamed' ? `${difference.from} to ${difference.path}` : difference.path;
}

function revisionNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1.');
}

/** `modulectl verify`: compares a package with the public record of a revision. */
export function addVerify(program: Command, cli: Cli): void {
  program
    .command('verify')
    .summary('compare a package with its public record')
    .description(
      'Compare an export, an uploaded package or an unpacked one with the public record of a\n' +
        'revision. It needs no token, and with --record no server. Each file that differs is named.',
    )
    .argument('<file|dir>', 'a ZIP, or a folder with moduleSchema.json')
    .option('--record <file>', 'file with the record, instead of a server')
    .option('--module <id>', 'ID of the module (default: that of the descriptor)')
    .option('--revision <number>', 'revision (default: the current one)', revisionNumber)
    .option('--server <url>', 'address of the server')
    .option('--json', 'output the result as JSON')
    .action((path: string, flags: VerifyFlags) => verify(path, flags, cli));
}
