import { ARTIFACT_FLAG, command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { githubReport } from '../report-github.ts';
import { sarifLog } from '../report-sarif.ts';
import { textReport } from '../report-text.ts';
import { reportOrigin, RULE_FLAGS, rulesInForce } from '../rules.ts';

/** `modulectl check`: reports the problems that the server would find, except those that need its database. */
export const check = command({
  name: 'check',
  summary: 'check a package or folder',
  description:
    'Check a package, or a folder as the package that pack creates. The rules are\n' +
    "the server's own, except those that need its database.\n" +
    'With --against, what it removes from an earlier package is a warning.',
  args: { path: { usage: '<file|dir>', text: 'a ZIP, or a folder with moduleSchema.json' } },
  flags: {
    '--json': { text: 'output errors and warnings as JSON', conflicts: ['sarif', 'github'] },
    '--sarif': { text: 'output a SARIF 2.1.0 log', conflicts: ['json', 'github'] },
    '--github': { text: 'output GitHub annotations', conflicts: ['json', 'sarif'] },
    '--against <file|dir>': 'warn of what the package removes from this earlier one',
    ...ARTIFACT_FLAG,
    ...RULE_FLAGS,
  },
  async call(cli, { path, json, sarif, github, artifact, against, ...flags }) {
    const { output } = cli;
    const { isRejected, partsOf, validatePath } = await import('../validate-path.ts');
    const { reportLeftOut } = await import('../left-out.ts');
    const rules = await rulesInForce(cli, flags);
    const before = against === undefined ? null : await partsOf(against, rules);
    const validated = await validatePath(path, rules, { artifact, before });
    reportLeftOut(validated.leftOut, output);
    if (json === true) output.json(validated.lists);
    else if (sarif === true) output.json(sarifLog(validated), 2);
    else if (github === true) output.data(githubReport(validated));
    else {
      reportOrigin(rules, output);
      output.data(await textReport(validated, { style: output.dataStyle, width: output.width }));
    }
    if (isRejected(validated)) cli.exitCode = EXIT.rejected;
  },
});
