import { showableText } from '../../package/text/showable-text.ts';
import { command } from '../command.ts';
import { findOrganization, openClient } from '../server.ts';
import { readSettings, requiredSetting } from '../settings.ts';
import { signInByDevice } from '../sign-in/device-grant.ts';
import { findSignInService } from '../sign-in/find-issuer.ts';
import { changeSignIns, readSignIns, serverInForce } from '../sign-in/stored-sign-ins.ts';

function until(expiresAtMs: number | null): string {
  return expiresAtMs === null ? '' : ` until ${new Date(expiresAtMs).toISOString()}`;
}

/** `modulectl login`: signs in to a server in a browser. */
export const login = command({
  name: 'login',
  summary: 'sign in to a server in a browser',
  description: 'Sign in to a server. You open a page in a browser, on this machine or another.',
  flags: {
    '--server <url>': 'address of the server',
    '--org <organization>': 'ID or name of your organization, for later commands',
  },
  note: `
What counts: flags, then MODULECTL_SERVER, MODULECTL_TOKEN and MODULECTL_ORG,
then ~/.config/modulectl/config.json (server, token, organization), then login.`,
  async call(cli, flags) {
    const { output } = cli;
    const settings = await readSettings(cli, { server: flags.server, organization: flags.org });
    const server = requiredSetting(settings, 'server');
    const service = await findSignInService(server);
    const issued = await signInByDevice(service, (address, userCode) => {
      const code = output.messageStyle('bold', showableText(userCode));
      output.say(`Open this page in a browser: ${address}`);
      output.messages(`It shows this code, or asks for it: ${code}\n`);
      output.say('Waiting until you have signed in there …');
    });
    const file = cli.environment.signInsFile;
    const { clientId, tokenEndpoint } = service;
    const keep = (named?: string) =>
      changeSignIns(file, ({ [server]: earlier, ...others }) => {
        const organization = named ?? earlier?.organization ?? null;
        return { ...others, [server]: { ...issued, clientId, tokenEndpoint, organization } };
      });
    // Before the organization is looked up: a wrong name does not undo the sign-in.
    await keep();
    output.say(`Signed in to ${server}${until(issued.refreshToken === null ? issued.expiresAtMs : null)}.`);
    if (settings.organization !== null) {
      const client = openClient({ ...settings, token: issued.accessToken });
      await keep(await findOrganization(server, client, settings.organization));
    }
    if (settings.token !== null)
      output.warn('MODULECTL_TOKEN or the config file has a token, which is used instead. Remove it.');
  },
});

/** `modulectl logout`: removes the tokens of a server. */
export const logout = command({
  name: 'logout',
  summary: 'remove the tokens of a server',
  description: 'Remove the tokens of a server from this machine.',
  flags: { '--server <url>': 'address of the server' },
  async call(cli, flags) {
    const { output } = cli;
    const file = cli.environment.signInsFile;
    const server = await serverInForce(cli, flags.server);
    const isSignedIn = (await readSignIns(file))[server] !== undefined;
    if (isSignedIn)
      await changeSignIns(file, (signIns) =>
        Object.fromEntries(Object.entries(signIns).filter(([each]) => each !== server)),
      );
    output.say(isSignedIn ? `Signed out of ${server}.` : `You are not signed in to ${server}.`);
  },
});
