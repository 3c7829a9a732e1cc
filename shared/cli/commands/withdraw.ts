import type { Command } from 'commander';
import { CannotRunError } from '../exit-codes.ts';
import { addServerFlags, answered, openVendor, type ServerFlags } from '../server.ts';
import type { Cli } from '../settings.ts';

interface WithdrawFlags extends ServerFlags {
  readonly reason?: string;
  readonly end?: true;
}

interface DeprecateFlags extends ServerFlags {
  readonly message?: string;
  readonly successor?: string;
  readonly end?: true;
}

const MODULE = '/api/v8.0/{orgId}/modules/{moduleId}';

/** The text of a flag, or null for `--end`; exactly one of them must be used. */
function textOrEnd(flag: string, text: string | undefined, end: true | undefined): string | null {
  if ((text === undefined) !== (end === true)) throw new CannotRunError(`Use either ${flag} or --end.`);
  return text ?? null;
}

async function withdraw(moduleId: string, flags: WithdrawFlags, cli: Cli): Promise<void> {
  const reason = textOrEnd('--reason', flags.reason, flags.end);
  const { client, organizationId } = await openVendor(cli, flags);
  const params = { path: { orgId: organizationId, moduleId } };
  if (reason === null) {
    await answered(client.POST(`${MODULE}/offer`, { params }));
    cli.output.say('The module can be installed again.');
    return;
  }
  await answered(client.POST(`${MODULE}/withdraw`, { params, body: { reason } }));
  cli.output.say('Withdrew the module: it cannot be installed any more. Existing installations go on.');
}

async function deprecate(moduleId: string, flags: DeprecateFlags, cli: Cli): Promise<void> {
  const message = textOrEnd('--message', flags.message, flags.end);
  const { client, organizationId } = await openVendor(cli, flags);
  const params = { path: { orgId: organizationId, moduleId } };
  const body = { message, ...(flags.successor !== undefined && { successorModuleId: flags.successor }) };
  await answered(client.POST(`${MODULE}/deprecate`, { params, body }));
  cli.output.say(message === null ? 'The module is no longer deprecated.' : 'Deprecated the module.');
}

/** `modulectl withdraw`: ends or resumes new installations of a module. */
export function addWithdraw(program: Command, cli: Cli): void {
  const command = program
    .command('withdraw')
    .summary('end new installations of a module')
    .description('End new installations of a module. Existing ones go on.')
    .argument('<module>', 'ID of the module')
    .option('--reason <text>', 'why, for farmers')
    .option('--end', 'offer a withdrawn module again');
  addServerFlags(command).action((moduleId: string, flags: WithdrawFlags) => withdraw(moduleId, flags, cli));
}

/** `modulectl modules deprecate`: advises farmers against a module. */
export function addDeprecate(modules: Command, cli: Cli): void {
  const command = modules
    .command('deprecate')
    .description('Advise farmers to replace a module.')
    .argument('<module>', 'ID of the module')
    .option('--message <text>', 'what farmers should do')
    .option('--successor <module>', 'ID of the module that replaces it')
    .option('--end', 'withdraw the advice');
  addServerFlags(command).action((moduleId: string, flags: DeprecateFlags) =>
    deprecate(moduleId, flags, cli),
  );
}
