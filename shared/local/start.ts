import { watch } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { childEnvironment, isSet, loadProcessConfig, type Config } from '../config/config.ts';
import { LOCAL_DOMAIN } from '../config/local-domain.ts';
import { openDatabase } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { networkProblem } from '../process/network-problem.ts';
import { readArguments } from '../process/run-command.ts';
import { runProcess, type ProcessMessage, type RunningProcess } from '../process/run-process.ts';
import { SettingsError } from '../config/settings-reader.ts';
import { writeDemonstration } from './demonstration-data.ts';
import { ACCOUNTS, ageRule, DEMONSTRATION, seedDemonstration } from './demonstration.ts';
import { reserveFreePort, reserveNextPort, reservePort, type ReservedPort } from './free-port.ts';
import { startIssuer } from './issuer.ts';
import { startMailbox } from './mailbox.ts';
import { signToken, type IssuerIdentity } from './issuer-tokens.ts';
import { ensureDatabase, startPostgres, type RunningPostgres } from './postgres.ts';
import { openCatalogue } from '../catalogue/catalogue.ts';
import { readExample, type ExamplePackage } from './example-package.ts';
import { DATABASE, OWN_ISSUER } from './running-stack.ts';
import { claimDirectory } from './single-instance.ts';
import { SupervisedProcess } from './supervised-process.ts';
import { OPEN_FOLDER } from './unprivileged.ts';
import { zipFiles } from './zip-folder.ts';

const DIST = path.resolve(import.meta.dirname, '../..');
/** The compiler writes its files one after the other. */
const DEBOUNCE_MS = 300;
const USAGE = `npm start
       npm run dev

Runs the API, a worker and the parts that no setting names (PostgreSQL, queue, storage, issuer, mailbox) on this machine, until
Ctrl-C. Data and logs are in DATA_DIR (.data). .env.example lists the settings. npm run dev also applies changes of the code.`;
const OPTIONS = { watch: { type: 'boolean', default: false } } as const;
const EXAMPLE = path.resolve(DIST, '..', 'test/fixtures/example-module');

/** The local parts beside the API and the worker. */
type LocalParts = Awaited<ReturnType<typeof startParts>>;

/** `npm start`: runs the parts that are not configured, the API and a worker, until a signal stops it. */
async function start(isWatching: boolean): Promise<RunningProcess> {
  const config = loadProcessConfig();
  const example = await readExample(EXAMPLE, await openCatalogue(config.catalogueFile));
  await claimDataDir(config.dataDir);
  const reserved = await choosePort(config.server);
  let { port } = reserved;
  const parts = await startParts(config);
  let applicationsPort = config.applications.port ?? 0;
  const environment = () =>
    childEnvironment({
      DATA_DIR: config.dataDir,
      DATABASE_URL: parts.databaseUrl,
      AUTH_ISSUER: parts.issuerUrl,
      ...(parts.identity !== null && OWN_ISSUER),
      HOST: config.server.host,
      PORT: String(port),
      APPS_PORT: String(applicationsPort),
      ...(parts.mailbox !== null && { SMTP_URL: parts.mailbox.smtpUrl }),
    });
  // Mails lead to the portal. The API answers at all addresses of this machine, so it gets no PUBLIC_URL.
  const workerEnvironment = () => ({
    ...environment(),
    ...(parts.mailbox !== null &&
      config.server.publicUrl === null && { PUBLIC_URL: new URL(portalOf(localUrl(config, port))).origin }),
  });
  const supervised = (name: string, of: typeof environment) => {
    const logFile = path.join(config.dataDir, 'logs', `${name}.log`);
    return new SupervisedProcess(path.join(DIST, name, 'main.js'), logFile, of);
  };
  const [api, worker] = [supervised('api', environment), supervised('worker', workerEnvironment)];
  const stop = async () => {
    await Promise.all([api.stop(), worker.stop()]);
    await parts.stop();
  };
  try {
    await reserved.release();
    const [message] = await Promise.all([api.start(), worker.start()]);
    if (!('listening' in message)) throw new Error('the API does not listen');
    // A restarted process listens at the same ports.
    port = message.listening;
    applicationsPort = message.applications?.port ?? applicationsPort;
    if (isWatching) restartOnChange([api, worker]);
    await demonstrate(config, localUrl(config, port), parts, example);
    await printReady(config, message, parts, example);
  } catch (error) {
    await stop();
    throw new SettingsError([
      `the stack could not start: ${error instanceof Error ? error.message : String(error)}`,
    ]);
  }
  return { stop };
}

/** Makes the directory of the stack's data, which no other stack may use. */
async function claimDataDir(dataDir: string): Promise<void> {
  // The account of PostgreSQL enters it where this process is root; each file in it is its owner's alone.
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  await mkdir(path.join(dataDir, 'logs'), { recursive: true, mode: 0o700 });
  if (!(await claimDirectory(dataDir)))
    throw new SettingsError([`DATA_DIR ${dataDir} is in use by another npm start`]);
}

/** Reserves the port of PORT, or the first free one from the default on, while the parts start that the API needs. */
async function choosePort({ host, port }: Config['server']): Promise<ReservedPort> {
  if (port === 0) return reserveFreePort(host);
  const address = `http://${host}:${port}`;
  const chosen = await (isSet('PORT') ? reservePort : reserveNextPort)(port, host).catch((error: unknown) => {
    throw networkProblem(error, { address, setting: 'PORT' }) ?? error;
  });
  if (chosen.port !== port) console.log(`Another program listens at ${address}. Using port ${chosen.port}.`);
  return chosen;
}

/** `npm run dev`: restarts API and worker when compiled files change; the other parts keep running. */
function restartOnChange(processes: readonly SupervisedProcess[]): void {
  let timer: NodeJS.Timeout | undefined;
  watch(DIST, { recursive: true }, (_event, file) => {
    if (!/^(?:api|worker|shared)[/\\].*\.js$|^portal[/\\]manifest\.json$/.test(file ?? '')) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      console.log('restarting …');
      for (const each of processes) void each.restart();
    }, DEBOUNCE_MS);
  });
}

async function startParts(config: Config) {
  const postgres = config.database.url === null ? await startOwnPostgres(config.dataDir) : null;
  const databaseUrl = config.database.url ?? (await ensureDatabase(postgres?.localUrl ?? '', DATABASE));
  const issuer = config.auth.issuer === null ? await startIssuer(config.dataDir, config.auth.audience) : null;
  const mailbox = config.mail === null ? await startMailbox() : null;
  await migrate(databaseUrl);
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  await seedDemonstration(database);
  await database.destroy();
  return {
    databaseUrl,
    issuerUrl: config.auth.issuer ?? issuer?.identity.url ?? '',
    /** Null if AUTH_ISSUER is set. */
    identity: issuer?.identity ?? null,
    /** Null if SMTP_URL is set. */
    mailbox,
    async stop() {
      await mailbox?.stop();
      await issuer?.stop();
      await postgres?.stop();
    },
  };
}

/** Starts PostgreSQL on the stack's data, and says where they are if root keeps them elsewhere. */
async function startOwnPostgres(dataDir: string): Promise<RunningPostgres> {
  const directory = path.join(dataDir, 'postgres');
  const postgres = await startPostgres(directory);
  const elsewhere = await realpath(directory);
  if (elsewhere.startsWith(OPEN_FOLDER))
    console.log(`Only root may enter ${dataDir}, so the database is in ${elsewhere}.`);
  return postgres;
}

type Listening = Extract<ProcessMessage, { readonly listening: number }>;

function localUrl({ server: { host } }: Config, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Where a browser opens the portal, beside the applications of modules; with another `HOST`, at the address itself. */
function portalOf(address: string): string {
  return `${address.replace('//127.0.0.1:', `//${LOCAL_DOMAIN}:`)}/portal`;
}

/** A token of an account of the development issuer. */
async function tokenOf(config: Config, identity: IssuerIdentity, accountKey: string): Promise<string> {
  const account = ACCOUNTS.find(({ key }) => key === accountKey);
  if (account === undefined) throw new Error(`there is no account ${accountKey}`);
  const { audience } = config.auth;
  return signToken(identity, { ...account, audience, subject: account.key });
}

/** Fills the portal for its first look. The stack runs without that too. */
async function demonstrate(
  config: Config,
  url: string,
  { identity, databaseUrl }: LocalParts,
  { files: example }: ExamplePackage,
): Promise<void> {
  if (identity === null) return;
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    await writeDemonstration({
      url,
      vendorToken: await tokenOf(config, identity, 'vendor-admin'),
      farmerToken: await tokenOf(config, identity, 'farmer-admin'),
      example,
      ageRule: (ruleId) => ageRule(database, ruleId),
    });
  } catch (error) {
    console.error('the demonstration data was not written:', error instanceof Error ? error.message : error);
  } finally {
    await database.destroy();
  }
}

/** Prints that the stack is ready, and how to import the example. */
async function printReady(
  config: Config,
  message: Listening,
  { identity, mailbox }: LocalParts,
  { files, missing }: ExamplePackage,
): Promise<void> {
  const url = localUrl(config, message.listening);
  const example = path.join(config.dataDir, 'example-module.zip');
  await zipFiles(files, example);
  console.log(`ready ${url}`);
  if (identity === null) return;
  if (missing.length > 0)
    console.log(`The example package leaves out what CATALOGUE_FILE does not have: ${missing.join(', ')}`);
  const token = await tokenOf(config, identity, 'vendor-admin');
  console.log(`
The portal for vendors, farmers and operators: ${portalOf(url)}
The origins of the modules' applications: ${message.applications?.origins ?? ''}
${mailbox === null ? '' : `The mails about alerts, which go to nobody: ${mailbox.pageUrl}\n`}
Import the example package as the demonstration vendor:

TOKEN=${token}
curl -H "Authorization: Bearer $TOKEN" -F file=@${path.relative('', example)} ${url}/api/v8.0/${DEMONSTRATION.vendor.id}/ImportModuleAsync
`);
}

const values = readArguments(USAGE, OPTIONS);
if (values !== null) runProcess(() => start(values.watch));
