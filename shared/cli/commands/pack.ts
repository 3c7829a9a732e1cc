import { stat } from 'node:fs/promises';
import nodePath from 'node:path';
import { ROOT_NAMES } from '../../package/layout/layout.ts';
import { ARTIFACT_FLAG, command } from '../command.ts';
import { CannotRunError, EXIT } from '../exit-codes.ts';
import type { PackageFolders } from '../list-folder.ts';
import { textReport } from '../report-text.ts';
import { reportOrigin, RULE_FLAGS, rulesInForce } from '../rules.ts';
import type { Cli } from '../settings.ts';
import { writeWhole } from '../temporary.ts';
import { describePackage } from '../write-package.ts';

/** The file to write: by default beside the folder. In a packed folder, the next package would contain this one. */
async function targetOf({ folder, artifact }: PackageFolders, output: string | undefined): Promise<string> {
  const name = nodePath.join(nodePath.dirname(folder), nodePath.basename(folder));
  const target = output ?? `${/(?:^|[/\\])\.{1,2}$/.test(name) ? nodePath.resolve(name) : name}.zip`;
  const parts = ROOT_NAMES.map((name) => nodePath.join(folder, name));
  for (const packed of artifact === null ? parts : [...parts, artifact]) {
    const fromFolder = nodePath.relative(packed, target);
    if (!nodePath.isAbsolute(fromFolder) && fromFolder.split(nodePath.sep)[0] !== '..')
      throw new CannotRunError(`${target} is inside the folder that is packed. Choose another --output.`);
  }
  const stats = await stat(target).catch(() => null);
  if (stats?.isDirectory() === true)
    throw new CannotRunError(`${target} is a directory. Name the file to write with --output.`);
  return target;
}

/** Outputs the paths of the files in the package. Entries that no package can contain are errors, as in `check`. */
async function listFiles(folders: PackageFolders, cli: Cli): Promise<void> {
  const { listPackage } = await import('../list-folder.ts');
  const { reportLeftOut } = await import('../left-out.ts');
  const { files, leftOut, problems } = await listPackage(folders);
  reportLeftOut(leftOut, cli.output);
  for (const each of problems) cli.output.fail(each.detail);
  if (problems.length > 0) cli.exitCode = EXIT.rejected;
  for (const each of files) cli.output.line(each.path);
}

/** `modulectl pack`: packs a folder into a package, with the same bytes on every system. */
export const pack = command({
  name: 'pack',
  summary: 'pack a folder into a package',
  description:
    'Pack a folder into a package: the same files have the same bytes on every system.\n' +
    'Nothing is written if check finds an error.',
  args: { folder: { usage: '<dir>', text: 'a folder with moduleSchema.json' } },
  flags: {
    '-o, --output <file>': 'file to write (default: <dir>.zip)',
    '--list': { text: 'only list the files that would be packed', conflicts: ['output'] },
    ...ARTIFACT_FLAG,
    ...RULE_FLAGS,
  },
  async call(cli, { folder, output: file, list, artifact = null, ...flags }) {
    const { output } = cli;
    const { isFolder, isRejected, packAndValidate } = await import('../validate-path.ts');
    const { reportLeftOut } = await import('../left-out.ts');
    if (!(await isFolder(folder))) throw new CannotRunError(`${folder} is not a directory.`);
    const folders = { folder, artifact };
    if (list === true) {
      await listFiles(folders, cli);
      return;
    }
    const target = await targetOf(folders, file);
    const rules = await rulesInForce(cli, flags);
    reportOrigin(rules, output);
    const packed = await writeWhole(target, async (half) => {
      const { validated, written } = await packAndValidate(folders, half, rules);
      reportLeftOut(validated.leftOut, output);
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
