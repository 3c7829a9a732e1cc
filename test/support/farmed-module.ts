import { readFile } from 'node:fs/promises';
import { createApiClient } from '../../shared/client/api-client.ts';
import { DEMONSTRATION } from '../../shared/local/demonstration.ts';
import { readIssuer } from '../../shared/local/issuer.ts';
import { signToken } from '../../shared/local/issuer-tokens.ts';
import type { LocalStack } from './local-stack.ts';

/** The example module on a local stack, with a key of it, and a farmer who installed it and made a rule. */
export interface FarmedModule {
  readonly moduleId: string;
  readonly apiKey: string;
  readonly farmId: string;
  readonly ruleId: string;
}

/** A token that every endpoint with a token accepts. */
export async function signTokenOfAll(dataDir: string): Promise<string> {
  const issuer = await readIssuer(dataDir);
  if (issuer === null) throw new Error('the stack has no issuer');
  const { vendor, northFarm, meadowFarm } = DEMONSTRATION;
  const organizations = [vendor.id, northFarm.id, meadowFarm.id].map((id) => ({
    id,
    roles: ['OrganizationAdmin'],
  }));
  return signToken(issuer, { audience: 'module-import-service', organizations, isOperator: true });
}

/** The data of a call's answer. @throws Error where the call was refused. */
function dataOf<Data>(answer: { readonly data?: Data; readonly response: Response }): Data {
  if (answer.data === undefined) throw new Error(`the stack answered ${answer.response.status}`);
  return answer.data;
}

/** Imports the example, creates a key, and creates a farm and a rule for a farmer, so that calls find something. */
export async function makeFarmedModule(stack: LocalStack, token: string): Promise<FarmedModule> {
  const client = createApiClient(stack.url, { token });
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(await readFile(stack.example))]), 'example.zip');
  const imported = await client.POST('/api/v8.0/{orgId}/ImportModuleAsync', {
    params: { path: { orgId: DEMONSTRATION.vendor.id } },
    body: { file: '' },
    bodySerializer: () => form,
  });
  const moduleId = dataOf(imported).moduleId ?? '';
  const ofModule = { params: { path: { orgId: DEMONSTRATION.vendor.id, moduleId } } };
  const key = dataOf(await client.POST('/api/v8.0/{orgId}/registerApiClient/{moduleId}', ofModule));
  const ofFarmer = { params: { path: { orgId: DEMONSTRATION.northFarm.id } } };
  const farm = { id: '5f1b2c3d-0000-4000-8000-000000000001', name: 'Home farm' };
  dataOf(await client.PUT('/api/v8.0/{orgId}/structures', { ...ofFarmer, body: { farms: [farm] } }));
  const path = { orgId: DEMONSTRATION.northFarm.id, moduleId };
  dataOf(await client.PUT('/api/v8.0/{orgId}/installations/{moduleId}', { params: { path } }));
  const body = { moduleId, criteria: 'soilMoisture', values: { operator: 'lt', value: 20 } };
  const rule = dataOf(await client.POST('/api/v8.0/{orgId}/alertRules', { ...ofFarmer, body }));
  return { moduleId, apiKey: key.clientSecret ?? '', farmId: farm.id, ruleId: rule.id };
}
