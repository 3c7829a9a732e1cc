import { stat } from 'node:fs/promises';
import nodePath from 'node:path';
import { ARTIFACT_FLAG, command } from '../command.ts';
import { CannotRunError, EXIT } from '../exit-codes.ts';
import type { PackageFolders } from '../list-folder.ts';
import { textReport } from '../report-text.ts';
import { RULE_FLAGS, rulesInForce } from '../rules.ts';
import { writeWhole } from '../temporary.ts';
import { describePackage } from '../write-package.ts';

/** The file to write: by default beside the folder. Inside what is packed, the next package would contain this one. */
async function targetOf({ folder, artifact }: PackageFolders, output: string | undefined): Promise<string> {
  const name = nodePath.join(nodePath.dirname(folder), nodePath.basename(folder));
  const target = output ?? `${/(?:^|[/\\])\.{1,2}$/.test(name) ? nodePath.resolve(name) : name}.zip`;
  for (const packed of artifact === null ? [folder] : [folder, artifact]) {
    const fromFolder = nodePath.relative(packed, target);
    if (!nodePath.isAbsolute(fromFolder) && fromFolder.split(nodePath.sep)[0] !== '..')
      throw new CannotRunError(`${target} is inside the folder that is packed. Choose another --output.`);
  }
  const stats = await stat(target).catch(() => null);
  if (stats?.isDirectory() === true)
    throw new CannotRunError(`${target} is a directory. Name the file to write with --output.`);
  return target;
}

/** `modulectl pack`: packs a folder into a package, with the same bytes on every system. */
export const pack = command({
  name: 'pack',
  summary: 'pack a folder into a package',
  description:
    'Pack a folder into a package: the same files have the same bytes on every system.\n' +
    'Nothing is written if check finds an error.',
  args: { folder: { usage: '<dir>', text: 'a folder with moduleSchema.json' } },
  flags: { '-o, --output <file>': 'file to write (default: <dir>.zip)', ...ARTIFACT_FLAG, ...RULE_FLAGS },
  async call(cli, { folder, output: file, artifact = null, ...flags }) {
    const { output } = cli;
    const { isFolder, isRejected, packAndValidate, warnOfLitter } = await import('../validate-path.ts');
    if (!(await isFolder(folder))) throw new CannotRunError(`${folder} is not a directory.`);
    const folders = { folder, artifact };
    const target = await targetOf(folders, file);
    const rules = await rulesInForce(cli, flags);
    const packed = await writeWhole(target, async (half) => {
      const { validated, written } = await packAndValidate(folders, half, rules);
      warnOfLitter(validated, output);
      const { errorsTotal, warnings } = validated.lists;
      // The report is a message here: the data describes the written package.
      if (errorsTotal + warnings.length > 0)
        output.messages(await textReport(validated, { style: output.messageStyle, width: output.width }));
      return isRejected(validated) ? null : written;
    });
    if (packed === null) cli.exitCode = EXIT.rejected;
    else output.data(describePackage(target, packed));
  },
});
