import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DESCRIPTOR_PATH } from '../package/layout/layout.ts';
import { normalId } from '../package/schema/normal-form.ts';
import { isMembers, parseMembers, type Members } from '../package/schema/read-members.ts';
import { parseJson } from '../package/text/parse-json.ts';
import { CannotRunError, reasonOf } from './exit-codes.ts';
import type { Output } from './output.ts';
import { writeWhole } from './temporary.ts';

function readDescriptor(content: Buffer): Members | null {
  const read = parseJson(DESCRIPTOR_PATH, content);
  return 'detail' in read || !isMembers(read.value) ? null : read.value;
}

/** The `moduleId` of a descriptor; null if it has none, or cannot be read. */
export function moduleIdOf(content: Buffer): string | null {
  const moduleId = readDescriptor(content)?.['moduleId'];
  return typeof moduleId === 'string' && moduleId !== '' ? moduleId : null;
}

/** Null and the empty string and GUID name no module; what is no ID at all was rejected. */
function namesModule({ moduleId }: Members): boolean {
  return typeof moduleId === 'string' && moduleId !== '' && normalId(moduleId) !== null;
}

/**
 * A descriptor with this `moduleId` and with every other byte as it was; null if it names a module or cannot be edited
 * that way. A missing member becomes the first one, with the same indentation.
 */
export function withModuleId(content: Buffer, moduleId: string): string | null {
  const members = readDescriptor(content);
  if (members === null || namesModule(members)) return null;
  const text = content.toString();
  const [, space = ''] = /":(\s*)/.exec(text) ?? [];
  const edits = Object.hasOwn(members, 'moduleId')
    ? Array.from(text.matchAll(/("moduleId"\s*:\s*)(?:null|"[^"]*")/g), ({ index, 0: found, 1: name }) =>
        [text.slice(0, index), name, `"${moduleId}"`, text.slice(index + found.length)].join(''),
      )
    : [text.replace(/^(\s*\{)(\s*)/, `$1$2"moduleId":${space}"${moduleId}",$2`)];
  // Texts and inner objects may have the name too.
  const isMeant = (edit: string) =>
    isDeepStrictEqual(parseMembers(edit.replace(/^\ufeff/, '')), { ...members, moduleId });
  return edits.find(isMeant) ?? null;
}

/**
 * Says to keep the ID of a new module, if the descriptor of its package has none; with `isSaved` writes it into the
 * folder's descriptor.
 * @throws CannotRunError if it cannot be written.
 */
export async function keepModuleId(
  imported: {
    readonly folder: string | null;
    readonly descriptor: Buffer | undefined;
    readonly moduleId: string;
  },
  isSaved: boolean,
  output: Output,
): Promise<void> {
  const { folder, descriptor, moduleId } = imported;
  const members = descriptor === undefined ? null : readDescriptor(descriptor);
  if (members === null || namesModule(members)) return;
  const file = folder === null ? DESCRIPTOR_PATH : path.join(folder, DESCRIPTOR_PATH);
  if (folder !== null && isSaved) {
    await writeModuleId(file, moduleId, adviceFor(members, moduleId));
    output.say(`Wrote this moduleId into ${file}. The next import of the folder updates the module.`);
    return;
  }
  output.warn(
    `${file} has no moduleId: the next import would create another module. ${adviceFor(members, moduleId)}` +
      (folder === null ? '' : '\nFor the next module, use --save-id.'),
  );
}

/** How a person puts the ID into a descriptor: a second member of the name would make it invalid. */
function adviceFor(members: Members, moduleId: string): string {
  return Object.hasOwn(members, 'moduleId')
    ? `Replace the value of its moduleId by this one:\n  "${moduleId}"`
    : `Add this line to it:\n  "moduleId": "${moduleId}",`;
}

async function writeModuleId(file: string, moduleId: string, advice: string): Promise<void> {
  const cannotWrite = (reason: string) =>
    new CannotRunError(`The module was imported, but its ID is not in ${file}: ${reason}. ${advice}`);
  try {
    // Read again: it may have been edited during the import.
    const edited = withModuleId(await readFile(file), moduleId);
    if (edited === null) throw cannotWrite('the file is not the one that was imported');
    const { mode } = await stat(file);
    await writeWhole(file, (half) => writeFile(half, edited, { mode }));
  } catch (error) {
    throw error instanceof CannotRunError ? error : cannotWrite(reasonOf(error));
  }
}
