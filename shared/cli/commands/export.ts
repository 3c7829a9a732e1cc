import type { ApiClient } from '../../client/api-client.ts';
import { defined, vendorCommand, wholeNumber } from '../command.ts';
import { MODULE } from '../names.ts';
import { CannotRunError, reasonOf } from '../exit-codes.ts';
import { ProgressLine, sizeOf } from '../progress-line.ts';
import { succeeded } from '../server.ts';
import { writeWhole } from '../temporary.ts';
import { describePackage, writeNewFile } from '../write-package.ts';

/** The bytes of a package, while they are received. */
async function* download(
  client: ApiClient,
  params: {
    readonly path: { readonly orgId: string; readonly moduleId: string };
    readonly query: { readonly revision?: number; readonly asNew?: boolean };
  },
  progress: ProgressLine,
): AsyncGenerator<Uint8Array> {
  const { data, response } = await succeeded<unknown>(
    client.GET('/api/v8.0/{orgId}/ExportModuleAsync/{moduleId}', { params, parseAs: 'stream' }),
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
export const exportModule = vendorCommand({
  name: 'export',
  summary: 'download a module as a package',
  description: 'Download a module as a package. The same revision always has the same bytes.',
  args: MODULE,
  flags: {
    '-o, --output <file>': 'file to write (default: <module>.zip)',
    '--revision <number>': { text: 'an older revision', read: wholeNumber },
    '--as-new': 'without module ID and scope, for another organization',
  },
  async call({ client, path, output }, { moduleId, output: target = `${moduleId}.zip`, revision, asNew }) {
    const progress = new ProgressLine(output);
    try {
      const pieces = download(client, { path, query: defined({ revision, asNew }) }, progress);
      const written = await writeWhole(target, (half) => writeNewFile(half, pieces));
      progress.end();
      if (written !== null) output.data(describePackage(target, written));
    } finally {
      progress.end();
    }
  },
});
