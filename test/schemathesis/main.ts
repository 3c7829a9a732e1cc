import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createApiClient } from '../../shared/client/api-client.ts';
import { DEMONSTRATION } from '../../shared/local/demonstration.ts';
import { makeFarmedModule, signTokenOfAll } from '../support/farmed-module.ts';
import { startLocalStack } from '../support/local-stack.ts';

const CONFIG = path.join(process.cwd(), 'test/schemathesis/schemathesis.toml');
const VENDOR_ID = DEMONSTRATION.vendor.id;
const FARMER_ID = DEMONSTRATION.northFarm.id;

/** Calls without pauses must not meet the rate limits. */
const SETTINGS = {
  MAX_IMPORTS_PER_MINUTE: '1000000',
  MAX_REQUESTS_PER_SECOND_PER_ORGANIZATION: '1000000',
  MAX_REQUESTS_PER_MINUTE_PER_KEY: '0',
  MAX_REQUESTS_PER_MINUTE_PER_ORGANIZATION: '0',
};

/** Runs Schemathesis to its end; returns its exit code. */
async function runSchemathesis(url: string, variables: Readonly<Record<string, string>>): Promise<number> {
  const program = process.env['SCHEMATHESIS'] ?? 'schemathesis';
  const args = ['--config-file', CONFIG, 'run', `${url}/openapi.json`, ...process.argv.slice(2)];
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...variables } });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => resolve(exitCode ?? 1));
  });
}

/** Registers a webhook at whose address nothing listens; returns its ID. */
async function registerWebhook(url: string, token: string, moduleId: string): Promise<string> {
  const { data, response } = await createApiClient(url, { token }).POST(
    '/api/v8.0/{orgId}/webhooks/{moduleId}',
    { params: { path: { orgId: VENDOR_ID, moduleId } }, body: { url: 'http://127.0.0.1:1/' } },
  );
  if (data === undefined) throw new Error(`the stack answered ${response.status}`);
  return data.id;
}

const dataDir = await mkdtemp(path.join(os.tmpdir(), 'schemathesis-'));
const stack = await startLocalStack(dataDir, SETTINGS);
try {
  const API_TOKEN = await signTokenOfAll(dataDir);
  const { moduleId, apiKey, ruleId } = await makeFarmedModule(stack, API_TOKEN);
  const webhookId = await registerWebhook(stack.url, API_TOKEN, moduleId);
  const ids = { VENDOR_ID, FARMER_ID, MODULE_ID: moduleId, RULE_ID: ruleId, WEBHOOK_ID: webhookId };
  process.exitCode = await runSchemathesis(stack.url, { API_TOKEN, API_KEY: apiKey, ...ids });
} finally {
  await stack.stop();
  await rm(dataDir, { recursive: true, force: true });
}
