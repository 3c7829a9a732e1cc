import type { Command } from 'commander';
import type { components } from '../../client/openapi-types.ts';
import { showableText } from '../../package/text/showable-text.ts';
import { confirm } from '../confirm.ts';
import { CannotRunError } from '../exit-codes.ts';
import { countOf } from '../report-text.ts';
import {
  addServerFlags,
  answered,
  openVendor,
  succeeded,
  type ServerFlags,
  type VendorSession,
} from '../server.ts';
import type { Cli } from '../settings.ts';
import { addReleases } from './release.ts';
import { addDeprecate } from './withdraw.ts';

interface ShowFlags extends ServerFlags {
  readonly json?: true;
}

interface DeleteFlags extends ServerFlags {
  readonly yes?: true;
}

type ModuleSummary = components['schemas']['ModuleSummary'];
type Module = components['schemas']['Module'];

const PAGE_ITEMS = 200;

async function list({ json, ...server }: ShowFlags, cli: Cli): Promise<void> {
  const modules = await allModules(await openVendor(cli, server));
  cli.output.list(modules, json === true, {
    module: (each) => each.id,
    name: (each) => each.moduleName ?? '',
    scope: (each) => each.scope ?? '',
    revision: (each) => String(each.revision),
    'updated (UTC)': (each) => each.updatedAt.slice(0, 19).replace('T', ' '),
    'last import': (each) => each.lastImport?.status ?? '',
  });
}

async function allModules(session: VendorSession): Promise<readonly ModuleSummary[]> {
  const modules: ModuleSummary[] = [];
  let cursor: string | null = null;
  do {
    const page = await pageOfModules(session, cursor);
    modules.push(...page.items);
    // A server that answers with an empty page and a cursor would be asked forever.
    cursor = page.items.length === 0 ? null : page.nextCursor;
  } while (cursor !== null);
  return modules;
}

async function pageOfModules(
  { client, organizationId }: VendorSession,
  cursor: string | null,
): Promise<{ readonly items: readonly ModuleSummary[]; readonly nextCursor: string | null }> {
  const query = { limit: PAGE_ITEMS, ...(cursor !== null && { cursor }) };
  const params = { path: { orgId: organizationId }, query };
  return answered(client.GET('/api/v8.0/{orgId}/modules', { params }));
}

async function readModule({ client, organizationId }: VendorSession, moduleId: string): Promise<Module> {
  const path = { orgId: organizationId, moduleId };
  return answered(client.GET('/api/v8.0/{orgId}/modules/{moduleId}', { params: { path } }));
}

/** The English name of a module, which every module has. */
async function nameOf({ client }: VendorSession, { descriptor }: Module): Promise<string> {
  const path = { set: 'languages' };
  const { items } = await answered(client.GET('/api/v8.0/CommonData/{set}', { params: { path } }));
  const english = items.find(({ key }) => key === 'en')?.id;
  return descriptor.translations.find(({ languageId }) => languageId === english)?.moduleName ?? '';
}

async function show(moduleId: string, { json, ...server }: ShowFlags, cli: Cli): Promise<void> {
  const { output } = cli;
  const session = await openVendor(cli, server);
  const module = await readModule(session, moduleId);
  if (json === true) {
    output.json(module);
    return;
  }
  const { id, revision, importId, descriptor, files, createdAt, updatedAt } = module;
  const bytes = files.reduce((total, { sizeBytes }) => total + sizeBytes, 0);
  const fields = Object.entries({
    name: await nameOf(session, module),
    scope: descriptor.scope,
    revision: String(revision),
    version: descriptor.vendorInternalCodeVersion,
    import: importId,
    files: `${files.length}, ${bytes} bytes`,
    created: createdAt,
    updated: updatedAt,
  });
  const lines = fields.flatMap(([name, value]) =>
    value === null ? [] : [`  ${name.padEnd(9)} ${showableText(value)}`],
  );
  output.data([output.dataStyle('bold', id), ...lines, ''].join('\n'));
}

async function remove(moduleId: string, { yes, ...server }: DeleteFlags, cli: Cli): Promise<void> {
  const { output } = cli;
  const session = await openVendor(cli, server);
  const module = await readModule(session, moduleId);
  const name = await nameOf(session, module);
  if (yes !== true) {
    const revisions = countOf(module.newestRevision, 'revision');
    output.say(`This deletes the module ${name} (${module.id}) with its ${revisions}.`);
    output.say('Its API keys stop working, and farmers who installed it lose it.');
    if (!(await confirm(cli, name))) throw new CannotRunError('Nothing was deleted.');
  }
  const { client, organizationId } = session;
  const path = { orgId: organizationId, moduleId };
  await succeeded(client.DELETE('/api/v8.0/{orgId}/modules/{moduleId}', { params: { path } }));
  output.say(`Deleted the module ${name} (${module.id}).`);
}

/** `modulectl modules`: lists, shows and deletes modules. */
export function addModules(program: Command, cli: Cli): void {
  const command = program
    .command('modules')
    .summary('list, show, deprecate and delete modules')
    .description('List, show, deprecate and delete modules.');
  const listing = command
    .command('list')
    .description('List your modules, newest first.')
    .option('--json', 'output the JSON of the server');
  addServerFlags(listing).action((flags: ShowFlags) => list(flags, cli));
  const showing = command
    .command('show')
    .description('Show the current revision of a module.')
    .argument('<module>', 'ID of the module')
    .option('--json', 'output the JSON of the server');
  addServerFlags(showing).action((moduleId: string, flags: ShowFlags) => show(moduleId, flags, cli));
  addReleases(command, cli);
  addDeprecate(command, cli);
  const deleting = command
    .command('delete')
    .description('Delete a module with its revisions, keys and installations.')
    .argument('<module>', 'ID of the module')
    .option('--yes', 'delete it without asking for its name');
  addServerFlags(deleting).action((moduleId: string, flags: DeleteFlags) => remove(moduleId, flags, cli));
}
