import path from 'node:path';
import { childEnvironment, loadProcessConfig } from '../config/config.ts';
import { SettingsError } from '../config/settings-reader.ts';
import { readIssuer } from './issuer.ts';
import { findPostgres } from './postgres.ts';
import { isClaimed } from './single-instance.ts';

/** The name of the stack's database. */
export const DATABASE = 'modules';

/** The settings by which API and worker use the stack's development issuer. */
export const OWN_ISSUER = {
  PORTAL_CLIENT_ID: 'module-portal',
  CLI_CLIENT_ID: 'modulectl',
  OUTBOUND_ALLOW_LOOPBACK: '1',
} as const;

/**
 * The environment of a command beside `npm start`: its parts in place of those that are not set. Null where no stack runs on
 * DATA_DIR, or the environment sets all parts.
 */
export async function environmentBesideStack(): Promise<Record<string, string | undefined> | null> {
  const parts = await findParts();
  return parts === null ? null : childEnvironment(parts);
}

async function findParts(): Promise<Readonly<Record<string, string>> | null> {
  try {
    const { dataDir, database, auth } = loadProcessConfig();
    if ((database.url !== null && auth.issuer !== null) || !(await isClaimed(dataDir))) return null;
    const postgres = database.url === null ? await findPostgres(path.join(dataDir, 'postgres')) : null;
    const identity = auth.issuer === null ? await readIssuer(dataDir) : null;
    console.error(`Parts that are not set are those of the npm start that runs on ${dataDir}.`);
    return {
      ...(postgres !== null && { DATABASE_URL: new URL(`/${DATABASE}`, postgres.localUrl).href }),
      ...(identity !== null && { ...OWN_ISSUER, AUTH_ISSUER: identity.url }),
    };
  } catch (error) {
    // The command reports wrong settings itself.
    if (error instanceof SettingsError) return null;
    throw error;
  }
}
