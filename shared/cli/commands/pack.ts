import { rename, stat } from 'node:fs/promises';
import nodePath from 'node:path';
import process from 'node:process';
import type { Command } from 'commander';
import { withoutEndSlashes } from '../../config/without-end-slashes.ts';
import type { Cli } from '../cli.ts';
import { CannotRunError, EXIT, reasonOf } from '../exit-codes.ts';
import type { JudgedPath } from '../validate-path.ts';
import type { RuleFlags } from '../rules-in-force.ts';
import { addRuleFlags } from '../rules-in-force.ts';
import type { WrittenPackage } from '../write-package.ts';

interface PackFlags extends RuleFlags {
  readonly output?: string;
}

/** Where the package goes: beside the folder, unless it is said. Inside, the next one would hold this one. */
function targetOf(folder: string, output: string | undefined): string {
  if (output === undefined) {
    const named = withoutEndSlashes(nodePath.normalize(folder), '/\\');
    return `${/(?:^|[/\\])\.{1,2}$/.test(named) ? nodePath.resolve(named) : named}.zip`;
  }
  const fromFolder = nodePath.relative(folder, output);
  const isInside = !nodePath.isAbsolute(fromFolder) && fromFolder.split(nodePath.sep)[0] !== '..';
  if (isInside) throw new CannotRunError(`${output} lies in the folder that is packed. Write it elsewhere.`);
  return output;
}

async function refuseFolder(target: string): Promise<void> {
  const stats = await stat(target).catch(() => null);
  if (stats?.isDirectory() === true)
    throw new CannotRunError(`${target} is a folder. Name the file to write with --output.`);
}

/** Problems are talk here: the data is what was written. */
async function tell(judged: JudgedPath, { output }: Cli): Promise<void> {
  for (const each of judged.litter) output.warn(`${each} is litter of the operating system: not packed.`);
  if (judged.lists.errorsTotal + judged.lists.warnings.length === 0) return;
  const { textReport } = await import('../report-text.ts');
  output.talk(await textReport(judged, { style: output.talkStyle, width: output.width }));
}

function summary(target: string, { sizeBytes, sha256 }: WrittenPackage): string {
  return `${target}\n  size     ${sizeBytes} bytes\n  sha-256  ${sha256}\n`;
}

async function pack(folder: string, flags: PackFlags, cli: Cli): Promise<void> {
  const { isFolder, isRejected, packAndJudge } = await import('../validate-path.ts');
  const { removedAfter } = await import('../removed-after.ts');
  const { rulesInForce } = await import('../rules-in-force.ts');
  if (!(await isFolder(folder))) throw new CannotRunError(`${folder} is no folder.`);
  const target = targetOf(folder, flags.output);
  await refuseFolder(target);
  const rules = await rulesInForce(cli, flags);
  const half = `${target}.${process.pid}.tmp`;
  await removedAfter(half, async () => {
    const { judged, written } = await packAndJudge(folder, half, rules);
    await tell(judged, cli);
    if (isRejected(judged) || written === null) {
      cli.exitCode = EXIT.rejected;
      return;
    }
    await rename(half, target).catch((error: unknown) => {
      throw new CannotRunError(`Cannot write ${target}: ${reasonOf(error)}.`);
    });
    cli.output.data(summary(target, written));
  });
}

/** `modulectl pack`: a folder as a package, the same bytes on every system. */
export function addPack(program: Command, cli: Cli): void {
  const command = program
    .command('pack')
    .summary('make a package of a folder')
    .description(
      'Makes a package of a folder: the same files give the same bytes on every system.\n' +
        'Writes nothing where check finds an error.',
    )
    .argument('<dir>', 'a folder with moduleSchema.json')
    .option('-o, --output <file>', 'where to write it (default: <dir>.zip)');
  addRuleFlags(command).action((folder: string, flags: PackFlags) => pack(folder, flags, cli));
}
