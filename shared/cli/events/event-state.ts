import { createHash } from 'node:crypto';
import path from 'node:path';
import { makeSecret } from '../../webhooks/sign-webhook.ts';
import { CannotRunError } from '../exit-codes.ts';
import { readIfExists, writePrivate } from '../temporary.ts';

const SECRET = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;
/** The form of the feed's cursors, as far as this program needs it. */
export const CURSOR = /^\d[\w-]{0,63}$/;

/**
 * The secret that events are signed with on this machine: the given one, or one that is made once and kept, so that a back
 * end need not be configured anew for each run.
 * @throws CannotRunError where the given one is not valid, or a new one cannot be stored
 */
export async function signingSecret(folder: string, given: string | undefined): Promise<string> {
  if (given !== undefined) {
    if (!SECRET.test(given))
      throw new CannotRunError('The secret must be whsec_ and at least 24 bytes in base64.');
    return given;
  }
  const file = path.join(folder, 'secret');
  const kept = (await readIfExists(file))?.trim() ?? '';
  if (SECRET.test(kept)) return kept;
  const secret = makeSecret();
  await writePrivate(file, `${secret}\n`);
  return secret;
}

/** The forwarded events, and their address. */
export interface Forwarding {
  readonly server: string;
  readonly moduleId: string;
  readonly url: string;
}

/** One file for each; its name is a hash, so that no address can leave the folder. */
function cursorFile(folder: string, { server, moduleId, url }: Forwarding): string {
  const name = createHash('sha256').update(`${server}\n${moduleId.toLowerCase()}\n${url}`).digest('hex');
  return path.join(folder, `cursor-${name.slice(0, 32)}`);
}

/** The cursor after the last event that was delivered; null: none was. */
export async function readCursor(folder: string, forwarding: Forwarding): Promise<string | null> {
  const cursor = (await readIfExists(cursorFile(folder, forwarding)))?.trim() ?? '';
  return CURSOR.test(cursor) ? cursor : null;
}

/** Stores the cursor after an event that was delivered. @throws CannotRunError */
export async function writeCursor(folder: string, forwarding: Forwarding, cursor: string): Promise<void> {
  await writePrivate(cursorFile(folder, forwarding), `${cursor}\n`);
}
