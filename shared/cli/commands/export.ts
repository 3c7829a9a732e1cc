import type { Command } from 'commander';
import { CannotRunError, reasonOf } from '../exit-codes.ts';
import { ProgressLine, sizeOf } from '../progress-line.ts';
import { addServerFlags, openVendor, succeeded, type ServerFlags, type VendorSession } from '../server.ts';
import type { Cli } from '../settings.ts';
import { writeWhole } from '../temporary.ts';
import { describePackage, writeNewFile } from '../write-package.ts';

interface ExportFlags extends ServerFlags {
  readonly output?: string;
  readonly revision?: string;
  readonly asNew?: true;
}

async function exportModule(moduleId: string, flags: ExportFlags, cli: Cli): Promise<void> {
  const session = await openVendor(cli, flags);
  const target = flags.output ?? `${moduleId}.zip`;
  const progress = new ProgressLine(cli.output);
  try {
    const written = await writeWhole(target, (half) =>
      writeNewFile(half, download(session, moduleId, flags, progress)),
    );
    progress.end();
    if (written !== null) cli.output.data(describePackage(target, written));
  } finally {
    progress.end();
  }
}

async function* download(
  { client, organizationId }: VendorSession,
  moduleId: string,
  { revision, asNew }: ExportFlags,
  progress: ProgressLine,
): AsyncGenerator<Uint8Array> {
  const query = {
    ...(revision !== undefined && { revision: Number(revision) }),
    ...(asNew === true && { asNew: true }),
  };
  const path = { orgId: organizationId, moduleId };
  const { data, response } = await succeeded<unknown>(
    client.GET('/api/v8.0/{orgId}/ExportModuleAsync/{moduleId}', {
      params: { path, query },
      parseAs: 'stream',
    }),
  );
  if (!(data instanceof ReadableStream)) throw new CannotRunError('The server sent no package.');
  const length = response.headers.get('content-length');
  let receivedBytes = 0;
  try {
    for await (const piece of data as ReadableStream<Uint8Array>) {
      yield piece;
      receivedBytes += piece.length;
      progress.show('receiving', receivedBytes, length === null ? null : Number(length), sizeOf);
    }
  } catch (error) {
    throw new CannotRunError(`The download is incomplete: ${reasonOf(error)}.`);
  }
}

/** `modulectl export`: downloads a module as a package that can be imported again. */
export function addExport(program: Command, cli: Cli): void {
  const command = program
    .command('export')
    .summary('download a module as a package')
    .description('Download a module as a package. The same revision always has the same bytes.')
    .argument('<module>', 'ID of the module')
    .option('-o, --output <file>', 'file to write (default: <module>.zip)')
    .option('--revision <number>', 'an older revision')
    .option('--as-new', 'without module ID and scope, for another organization');
  addServerFlags(command).action((moduleId: string, flags: ExportFlags) =>
    exportModule(moduleId, flags, cli),
  );
}
