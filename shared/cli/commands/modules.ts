import { createInterface } from 'node:readline';
import type { ApiClient } from '../../client/api-client.ts';
import type { components } from '../../client/openapi-types.ts';
import { showableText } from '../../package/text/showable-text.ts';
import { commandGroup, JSON_FLAG, vendorCommand } from '../command.ts';
import { findModule, MODULE, readModules } from '../names.ts';
import { CannotRunError } from '../exit-codes.ts';
import { timeOf } from '../output.ts';
import { countOf } from '../report-text.ts';
import { answered, succeeded } from '../server.ts';
import type { Cli } from '../settings.ts';
import { releases } from './release.ts';

type Module = components['schemas']['Module'];

const ONE = '/api/v8.0/{orgId}/modules/{moduleId}';

const list = vendorCommand({
  name: 'list',
  description: 'List your modules, newest first.',
  flags: JSON_FLAG,
  call: readModules,
  show: (items, { output }) =>
    output.table(items, {
      module: (each) => each.id,
      name: (each) => each.moduleName ?? '',
      scope: (each) => each.scope ?? '',
      revision: (each) => String(each.revision),
      'updated (UTC)': (each) => timeOf(each.updatedAt),
      'last import': (each) => each.lastImport?.status ?? '',
    }),
});

/** The English name of a module, which every module has. */
async function nameOf(client: ApiClient, { descriptor }: Module): Promise<string> {
  const path = { set: 'languages' };
  const { items } = await answered(client.GET('/api/v8.0/CommonData/{set}', { params: { path } }));
  const english = items.find(({ key }) => key === 'en')?.id;
  return descriptor.translations.find(({ languageId }) => languageId === english)?.moduleName ?? '';
}

const show = vendorCommand({
  name: 'show',
  description: 'Show the current revision of a module.',
  args: MODULE,
  flags: JSON_FLAG,
  call: ({ client, path }) => answered(client.GET(ONE, { params: { path } })),
  async show(module, { client, output }) {
    const { id, revision, importId, descriptor, files, createdAt, updatedAt } = module;
    const bytes = files.reduce((total, { sizeBytes }) => total + sizeBytes, 0);
    output.fields(id, {
      name: await nameOf(client, module),
      scope: descriptor.scope,
      revision,
      version: descriptor.vendorInternalCodeVersion,
      import: importId,
      files: `${files.length}, ${bytes} bytes`,
      created: createdAt,
      updated: updatedAt,
    });
  },
});

/**
 * Whether the person types this name.
 * @throws CannotRunError if there is no terminal to type in.
 */
async function confirm({ input, output }: Cli, name: string): Promise<boolean> {
  if (input.isTTY !== true)
    throw new CannotRunError('This needs a confirmation. Run it in a terminal, or use --yes.');
  const shown = showableText(name.trim());
  output.messages(`Type ${output.messageStyle('bold', shown)} to confirm: `);
  const lines = createInterface({ input, terminal: false });
  try {
    for await (const line of lines) return line.trim() === shown;
    output.say('');
    return false;
  } finally {
    lines.close();
  }
}

const remove = vendorCommand({
  name: 'delete',
  description: 'Delete a module with its revisions, keys and installations.',
  args: MODULE,
  page: () => 'modules',
  flags: { '--yes': 'delete it without asking for its name' },
  async call({ client, path, cli }, { yes }) {
    const module = await answered(client.GET(ONE, { params: { path } }));
    const name = await nameOf(client, module);
    if (yes !== true) {
      const revisions = countOf(module.newestRevision, 'revision');
      cli.output.say(`This deletes the module ${name} (${module.id}) with its ${revisions}.`);
      cli.output.say('Its API keys stop working, and farmers who installed it lose it.');
      if (!(await confirm(cli, name))) throw new CannotRunError('Nothing was deleted.');
    }
    await succeeded(client.DELETE(ONE, { params: { path } }));
    return `${name} (${module.id})`;
  },
  show: (deleted, { output }) => output.say(`Deleted the module ${deleted}.`),
});

/** The text of a flag, or null for `--end`; exactly one of them must be used. */
function textOrEnd(flag: string, text: string | undefined, end: boolean | undefined): string | null {
  if ((text === undefined) !== (end === true)) throw new CannotRunError(`Use either ${flag} or --end.`);
  return text ?? null;
}

const deprecate = vendorCommand({
  name: 'deprecate',
  description: 'Advise farmers to replace a module.',
  args: MODULE,
  page: ({ moduleId }) => `modules/${moduleId}`,
  flags: {
    '--message <text>': 'what farmers should do',
    '--successor <module>': 'ID of the module that replaces it, or the name of one of yours',
    '--end': 'withdraw the advice',
  },
  async call(vendor, { message, successor, end }) {
    const { client, path } = vendor;
    const body = {
      message: textOrEnd('--message', message, end),
      ...(successor !== undefined && { successorModuleId: await findModule(vendor, successor) }),
    };
    return answered(client.POST(`${ONE}/deprecate`, { params: { path }, body }));
  },
  show: (_, { output }, { end }) =>
    output.say(end === true ? 'The module is no longer deprecated.' : 'Deprecated the module.'),
});

/** `modulectl withdraw`: ends or resumes new installations of a module. */
export const withdraw = vendorCommand({
  name: 'withdraw',
  summary: 'end new installations of a module',
  description: 'End new installations of a module. Existing ones continue.',
  args: MODULE,
  page: ({ moduleId }) => `modules/${moduleId}`,
  flags: { '--reason <text>': 'why, for farmers', '--end': 'offer a withdrawn module again' },
  async call({ client, path }, flags) {
    const reason = textOrEnd('--reason', flags.reason, flags.end);
    if (reason === null) await answered(client.POST(`${ONE}/offer`, { params: { path } }));
    else await answered(client.POST(`${ONE}/withdraw`, { params: { path }, body: { reason } }));
  },
  show: (_, { output }, { end }) =>
    output.say(
      end === true
        ? 'The module can be installed again.'
        : 'Withdrew the module: it can no longer be installed. Existing installations continue.',
    ),
});

/** `modulectl modules`: lists, shows, deprecates and deletes modules. */
export const modules = commandGroup('modules', 'list, show, deprecate and delete modules', [
  list,
  show,
  releases,
  deprecate,
  remove,
]);
