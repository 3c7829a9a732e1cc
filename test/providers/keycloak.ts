import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../shared/local/free-port.ts';
import type { IdentityProvider, Person, ProviderRequest } from './identity-provider.ts';
import { farmRealm, SECRET } from './keycloak-realm.ts';

const ADMIN = 'admin';
/** Keycloak's default life of an access token. */
const ACCESS_TOKEN_SECONDS = 300;

/** Starts the Keycloak of a directory, with its database in a directory of its own, and a realm for the service. */
export async function startKeycloak(home: string, request: ProviderRequest): Promise<IdentityProvider> {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const data = await mkdtemp(path.join(tmpdir(), 'keycloak-'));
  const keycloak = spawn(
    path.join(home, 'bin', 'kc.sh'),
    [
      'start-dev',
      '--http-host=127.0.0.1',
      `--http-port=${port}`,
      `--db-url=jdbc:h2:file:${data}/keycloak;NON_KEYWORDS=VALUE`,
    ],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: true,
      env: { ...process.env, KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN, KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN },
    },
  );
  await isReady(`${address}/realms/master`);
  const call = administrator(address);
  await call('POST', '/admin/realms', farmRealm(request));
  return {
    issuer: `${address}/realms/farm`,
    accessTokenSeconds: ACCESS_TOKEN_SECONDS,
    settings: {
      PORTAL_CLIENT_ID: 'portal',
      PORTAL_CLIENT_SECRET: SECRET,
      AUTH_OPERATOR_CLAIM: 'realm_access.roles',
    },
    pages: { name: '#username', password: '#password', logIn: '#kc-login', consent: null, signOut: null },
    endSessions: (person) => endSessions(call, person),
    async programToken(kind) {
      if (kind === 'opaque') return null;
      const client_id = kind === 'service' ? 'program' : 'other';
      const form = { grant_type: 'client_credentials', client_id, client_secret: SECRET };
      return tokenFrom(`${address}/realms/farm`, form);
    },
    rotateKeys: () => rotateKeys(call),
    async stop() {
      if (keycloak.pid !== undefined) process.kill(-keycloak.pid, 'SIGTERM');
      await new Promise((resolve) => keycloak.once('exit', resolve));
      await rm(data, { recursive: true, force: true });
    },
  };
}

async function isReady(address: string): Promise<void> {
  while (
    !(await fetch(address).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await sleep(500);
}

async function tokenFrom(realm: string, form: Readonly<Record<string, string>>): Promise<string> {
  const answer = await fetch(`${realm}/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { access_token: string }).access_token;
}

type AdminCall = (method: string, path: string, body?: unknown) => Promise<unknown>;

/** Calls of Keycloak's administration, as its first administrator. */
function administrator(address: string): AdminCall {
  return async (method, target, body) => {
    const form = { grant_type: 'password', client_id: 'admin-cli', username: ADMIN, password: ADMIN };
    const token = await tokenFrom(`${address}/realms/master`, form);
    const answer = await fetch(`${address}${target}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${target}: ${answer.status} ${text}`);
    return text === '' ? null : (JSON.parse(text) as unknown);
  };
}

async function endSessions(call: AdminCall, person: Person): Promise<void> {
  const users = (await call('GET', `/admin/realms/farm/users?exact=true&username=${person}`)) as {
    id: string;
  }[];
  for (const { id } of users) await call('POST', `/admin/realms/farm/users/${id}/logout`);
}

/** A key with a higher priority signs from now on. */
async function rotateKeys(call: AdminCall): Promise<void> {
  const { id } = (await call('GET', '/admin/realms/farm')) as { id: string };
  await call('POST', '/admin/realms/farm/components', {
    name: 'next',
    providerId: 'rsa-generated',
    providerType: 'org.keycloak.keys.KeyProvider',
    parentId: id,
    config: {
      priority: ['200'],
      enabled: ['true'],
      active: ['true'],
      algorithm: ['RS256'],
      keySize: ['2048'],
    },
  });
}
