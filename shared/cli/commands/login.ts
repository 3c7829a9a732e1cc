import type { Command } from 'commander';
import { showableText } from '../../package/text/showable-text.ts';
import { CannotRunError } from '../exit-codes.ts';
import { readSettings, type Cli } from '../settings.ts';
import { signInByDevice } from '../sign-in/device-grant.ts';
import { findSignInService } from '../sign-in/find-issuer.ts';
import { onlyServer } from '../sign-in/signed-in.ts';
import { readSignIns, signInsFile, writeSignIns } from '../sign-in/stored-sign-ins.ts';

interface LoginFlags {
  readonly server?: string;
  readonly org?: string;
}

async function login({ server: given, org }: LoginFlags, cli: Cli): Promise<void> {
  const { environment, output } = cli;
  const settings = await readSettings(cli, { server: given, organization: org });
  const server = serverOf(settings.server);
  const service = await findSignInService(server);
  const issued = await signInByDevice(service, ({ address, completeAddress, userCode }) => {
    const code = output.messageStyle('bold', showableText(userCode));
    output.say(`Open this page in a browser: ${completeAddress ?? address}`);
    output.messages(`It shows this code, or asks for it: ${code}\n`);
    output.say('Waiting until you have signed in there …');
  });
  const file = signInsFile(environment.configFile);
  const { clientId, tokenEndpoint } = service;
  const before = await readSignIns(file);
  const organization = settings.organization ?? before[server]?.organization ?? null;
  await writeSignIns(file, { ...before, [server]: { ...issued, clientId, tokenEndpoint, organization } });
  output.say(`Signed in to ${server}${until(issued.refreshToken === null ? issued.expiresAtMs : null)}.`);
  if (settings.token !== null)
    output.warn('MODULECTL_TOKEN or the config file has a token, which is used instead. Remove it.');
}

function until(expiresAtMs: number | null): string {
  return expiresAtMs === null ? '' : ` until ${new Date(expiresAtMs).toISOString()}`;
}

async function logout({ server: given }: LoginFlags, cli: Cli): Promise<void> {
  const { environment, output } = cli;
  const file = signInsFile(environment.configFile);
  const signIns = await readSignIns(file);
  const settings = await readSettings(cli, { server: given });
  const server = serverOf(settings.server ?? onlyServer(signIns));
  const { [server]: signIn, ...others } = signIns;
  if (signIn === undefined) {
    output.say(`You are not signed in to ${server}.`);
    return;
  }
  await writeSignIns(file, others);
  output.say(`Signed out of ${server}.`);
}

function serverOf(server: string | null): string {
  if (server !== null) return server;
  throw new CannotRunError(
    'No server is set. Use --server, set MODULECTL_SERVER, or add "server" to the config file.',
  );
}

const HELP_AFTER = `
What counts: flags, then MODULECTL_SERVER, MODULECTL_TOKEN and MODULECTL_ORG,
then ~/.config/modulectl/config.json (server, token, organization), then login.`;

/** `modulectl login` and `logout`: sign in to a server in a browser, and forget its tokens. */
export function addLogin(program: Command, cli: Cli): void {
  program
    .command('login')
    .summary('sign in to a server in a browser')
    .description('Sign in to a server. You open a page in a browser, on this machine or another.')
    .option('--server <url>', 'address of the server')
    .option('--org <id>', 'ID of your organization, for later commands')
    .addHelpText('after', HELP_AFTER)
    .action((flags: LoginFlags) => login(flags, cli));
  program
    .command('logout')
    .summary('remove the tokens of a server')
    .description('Remove the tokens of a server from this machine.')
    .option('--server <url>', 'address of the server')
    .action((flags: LoginFlags) => logout(flags, cli));
}
