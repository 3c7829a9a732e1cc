import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createApiClient } from '../../shared/client/api-client.ts';
import { DEMONSTRATION } from '../../shared/local/demonstration.ts';
import { readIssuer } from '../../shared/local/issuer.ts';
import { signToken } from '../../shared/local/issuer-tokens.ts';
import { startLocalStack } from '../support/local-stack.ts';
import type { LocalStack } from '../support/local-stack.ts';

const CONFIG = path.join(process.cwd(), 'test/schemathesis/schemathesis.toml');
const VENDOR_ID = DEMONSTRATION.vendor.id;
const FARMER_ID = DEMONSTRATION.northFarm.id;

/** Calls without pauses must not meet the rate limits. */
const SETTINGS = {
  MAX_IMPORTS_PER_MINUTE: '1000000',
  MAX_REQUESTS_PER_MINUTE_PER_KEY: '0',
  MAX_REQUESTS_PER_MINUTE_PER_ORGANIZATION: '0',
};

/** A token that every endpoint with a token accepts. */
async function signTokenOfAll(dataDir: string): Promise<string> {
  const issuer = await readIssuer(dataDir);
  if (issuer === null) throw new Error('the stack has no issuer');
  const organizations = [VENDOR_ID, FARMER_ID].map((id) => ({ id, roles: ['OrganizationAdmin'] }));
  return signToken(issuer, { audience: 'module-import-service', organizations, isOperator: true });
}

/** The data of a call's answer. @throws Error where the call was refused. */
function dataOf<Data>(answer: { readonly data?: Data; readonly response: Response }): Data {
  if (answer.data === undefined) throw new Error(`the stack answered ${answer.response.status}`);
  return answer.data;
}

/** Imports the example, creates a key, and creates a farm and a rule for a farmer, so that calls find something. */
async function prepare(stack: LocalStack, token: string): Promise<Readonly<Record<string, string>>> {
  const client = createApiClient(stack.url, { token });
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(await readFile(stack.example))]), 'example.zip');
  const imported = await client.POST('/api/v8.0/{orgId}/ImportModuleAsync', {
    params: { path: { orgId: VENDOR_ID } },
    body: { file: '' },
    bodySerializer: () => form,
  });
  const moduleId = dataOf(imported).moduleId ?? '';
  const ofModule = { params: { path: { orgId: VENDOR_ID, moduleId } } };
  const key = dataOf(await client.POST('/api/v8.0/{orgId}/registerApiClient/{moduleId}', ofModule));
  const ofFarmer = { params: { path: { orgId: FARMER_ID } } };
  const farm = { id: '5f1b2c3d-0000-4000-8000-000000000001', name: 'Home farm' };
  dataOf(await client.PUT('/api/v8.0/{orgId}/structures', { ...ofFarmer, body: { farms: [farm] } }));
  const path = { orgId: FARMER_ID, moduleId };
  dataOf(await client.PUT('/api/v8.0/{orgId}/installations/{moduleId}', { params: { path } }));
  const body = { moduleId, criteria: 'soilMoisture', values: { operator: 'lt', value: 20 } };
  const rule = dataOf(await client.POST('/api/v8.0/{orgId}/alertRules', { ...ofFarmer, body }));
  return { MODULE_ID: moduleId, API_KEY: key.clientSecret, RULE_ID: rule.id };
}

/** Runs Schemathesis to its end; returns its exit code. */
async function runSchemathesis(url: string, variables: Readonly<Record<string, string>>): Promise<number> {
  const program = process.env['SCHEMATHESIS'] ?? 'schemathesis';
  const args = ['--config-file', CONFIG, 'run', `${url}/openapi.json`, ...process.argv.slice(2)];
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...variables } });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => {
      resolve(exitCode ?? 1);
    });
  });
}

const dataDir = await mkdtemp(path.join(os.tmpdir(), 'schemathesis-'));
const stack = await startLocalStack(dataDir, SETTINGS);
try {
  const API_TOKEN = await signTokenOfAll(dataDir);
  const ids = await prepare(stack, API_TOKEN);
  process.exitCode = await runSchemathesis(stack.url, { API_TOKEN, VENDOR_ID, FARMER_ID, ...ids });
} finally {
  await stack.stop();
  await rm(dataDir, { recursive: true, force: true });
}
