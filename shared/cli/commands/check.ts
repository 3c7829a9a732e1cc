import { Option, type Command } from 'commander';
import { EXIT } from '../exit-codes.ts';
import { addArtifactFlag, type ArtifactFlag } from '../list-package.ts';
import { githubReport } from '../report-github.ts';
import { sarifLog } from '../report-sarif.ts';
import { textReport } from '../report-text.ts';
import { addRuleFlags, rulesInForce, type RuleFlags } from '../rules.ts';
import type { Cli } from '../settings.ts';
import type { ValidatedPath } from '../validate-path.ts';

interface CheckFlags extends RuleFlags, ArtifactFlag {
  readonly json?: true;
  readonly sarif?: true;
  readonly github?: true;
}

async function report(validated: ValidatedPath, flags: CheckFlags, { output }: Cli): Promise<void> {
  if (flags.json === true) output.json(validated.lists);
  else if (flags.sarif === true) output.json(sarifLog(validated), 2);
  else if (flags.github === true) output.data(githubReport(validated));
  else output.data(await textReport(validated, { style: output.dataStyle, width: output.width }));
}

async function check(path: string, flags: CheckFlags, cli: Cli): Promise<void> {
  const { isRejected, validatePath, warnOfLitter } = await import('../validate-path.ts');
  const validated = await validatePath(path, await rulesInForce(cli, flags), flags.artifact);
  warnOfLitter(validated, cli.output);
  await report(validated, flags, cli);
  if (isRejected(validated)) cli.exitCode = EXIT.rejected;
}

/** `modulectl check`: reports the problems that the server would find, except those that need its database. */
export function addCheck(program: Command, cli: Cli): void {
  const command = program
    .command('check')
    .summary('check a package or folder')
    .description(
      'Check a package, or a folder as the package that pack creates. The rules are\n' +
        "the server's own, except those that need its database.",
    )
    .argument('<file|dir>', 'a ZIP, or a folder with moduleSchema.json')
    .addOption(new Option('--json', 'output errors and warnings as JSON').conflicts(['sarif', 'github']))
    .addOption(new Option('--sarif', 'output a SARIF 2.1.0 log').conflicts(['json', 'github']))
    .addOption(new Option('--github', 'output GitHub annotations').conflicts(['json', 'sarif']));
  addRuleFlags(addArtifactFlag(command)).action((path: string, flags: CheckFlags) => check(path, flags, cli));
}
