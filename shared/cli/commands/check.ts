import { Option } from 'commander';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit-codes.ts';
import type { JudgedPath } from '../validate-path.ts';
import type { RuleFlags } from '../rules-in-force.ts';
import { addRuleFlags } from '../rules-in-force.ts';

interface CheckFlags extends RuleFlags {
  readonly json?: true;
  readonly sarif?: true;
  readonly github?: true;
}

async function report(judged: JudgedPath, flags: CheckFlags, { output }: Cli): Promise<void> {
  if (flags.json === true) {
    output.json(`${JSON.stringify(judged.lists)}\n`);
  } else if (flags.sarif === true) {
    output.json((await import('../report-sarif.ts')).sarifReport(judged));
  } else if (flags.github === true) {
    output.data((await import('../report-github.ts')).githubReport(judged));
  } else {
    const { textReport } = await import('../report-text.ts');
    output.data(await textReport(judged, { style: output.dataStyle, width: output.width }));
  }
}

async function check(path: string, flags: CheckFlags, cli: Cli): Promise<void> {
  const { rulesInForce } = await import('../rules-in-force.ts');
  const { isRejected, judgePath } = await import('../validate-path.ts');
  const judged = await judgePath(path, await rulesInForce(cli, flags));
  for (const each of judged.litter) cli.output.warn(`${each} is litter of the operating system: not packed.`);
  await report(judged, flags, cli);
  if (isRejected(judged)) cli.exitCode = EXIT.rejected;
}

/** `modulectl check`: what the server will say of a package, but for what its database knows. */
export function addCheck(program: Command, cli: Cli): void {
  const command = program
    .command('check')
    .summary('tell what the server will say of a package')
    .description(
      'Judges a package, or a folder as the package that pack makes of it, by the\n' +
        "server's own code: every rule but those that ask its database.",
    )
    .argument('<file|dir>', 'a ZIP, or a folder with moduleSchema.json')
    .addOption(new Option('--json', 'write { errors, warnings, errorsTotal }').conflicts(['sarif', 'github']))
    .addOption(new Option('--sarif', 'write a SARIF 2.1.0 log').conflicts(['json', 'github']))
    .addOption(new Option('--github', 'write annotations of a GitHub workflow').conflicts(['json', 'sarif']));
  addRuleFlags(command).action((path: string, flags: CheckFlags) => check(path, flags, cli));
}
