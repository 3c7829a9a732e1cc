import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DESCRIPTOR_PATH } from '../package/layout/layout.ts';
import { normalId } from '../package/schema/normal-form.ts';
import { isMembers, type Members } from '../package/schema/read-members.ts';
import { nodeAt, type LocatedText } from '../package/text/located-text.ts';
import { parseJson } from '../package/text/parse-json.ts';
import { CannotRunError, reasonOf } from './exit-codes.ts';
import type { Output } from './output.ts';
import { writeWhole } from './temporary.ts';

const BYTE_ORDER_MARK = '\ufeff';

/** A descriptor that can be edited: it was parsed, and its root is an object. */
interface EditableDescriptor {
  readonly mark: string;
  /** Without the byte order mark. */
  readonly text: string;
  readonly located: LocatedText;
  readonly members: Members;
}

function readDescriptor(content: Buffer): EditableDescriptor | null {
  const located = parseJson(DESCRIPTOR_PATH, content);
  if ('detail' in located || !isMembers(located.value)) return null;
  const whole = content.toString();
  const mark = whole.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  return { mark, text: whole.slice(mark.length), located, members: located.value };
}

/** The `moduleId` of a descriptor; null if it has none, or cannot be read. */
export function moduleIdOf(content: Buffer): string | null {
  const moduleId = readDescriptor(content)?.members['moduleId'];
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
  const descriptor = readDescriptor(content);
  if (descriptor === null || namesModule(descriptor.members)) return null;
  const { mark, text, located, members } = descriptor;
  const edited =
    nodeAt(located, '/moduleId') === null ? withFirstMember(text, moduleId) : withValue(descriptor, moduleId);
  try {
    return isDeepStrictEqual(JSON.parse(edited), { ...members, moduleId }) ? mark + edited : null;
  } catch {
    return null;
  }
}

function withFirstMember(text: string, moduleId: string): string {
  const [, space = ''] = /":(\s*)/.exec(text) ?? [];
  const member = `"moduleId":${space}"${moduleId}",`;
  return text.replace(
    /^(\s*\{)(\s*)/,
    (_whole, open: string, indent: string) => open + indent + member + indent,
  );
}

function withValue({ text, located }: EditableDescriptor, moduleId: string): string {
  const { line = 1, column = 1 } = nodeAt(located, '/moduleId')?.value ?? {};
  let lineStart = 0;
  for (let each = 1; each < line; each += 1) lineStart = text.indexOf('\n', lineStart) + 1;
  const start = lineStart + column - 1;
  return text.slice(0, start) + text.slice(start).replace(/^(?:null|"[^"]*")/, `"${moduleId}"`);
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
  const members = descriptor === undefined ? null : (readDescriptor(descriptor)?.members ?? null);
  if (members === null || namesModule(members)) return;
  const file = folder === null ? DESCRIPTOR_PATH : path.join(folder, DESCRIPTOR_PATH);
  if (folder !== null && isSaved) {
    await writeModuleId(file, moduleId);
    output.say(`Wrote this moduleId into ${file}. The next import of the folder updates the module.`);
    return;
  }
  output.warn(
    `${file} has no moduleId: the next import would create another module. Add this line to it:\n` +
      `  "moduleId": "${moduleId}",` +
      (folder === null ? '' : '\nFor the next module, use --save-id.'),
  );
}

async function writeModuleId(file: string, moduleId: string): Promise<void> {
  const cannotWrite = (reason: string) =>
    new CannotRunError(
      `The module was imported, but its ID is not in ${file}: ${reason}. Add this line to it:\n  "moduleId": "${moduleId}",`,
    );
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
