import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { createApiClient } from '../../../shared/client/api-client.ts';
import { DEMONSTRATION } from '../../../shared/local/demonstration.ts';
import { freePort } from '../../../shared/local/free-port.ts';
import { signTokenOfAll } from '../../support/farmed-module.ts';
import { runCommands } from '../../support/run-shell.ts';
import { sharedStack } from '../../support/shared-stack.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const scratch = path.join(inject('scratch'), `recipe-${randomUUID()}`);
const dataDir = path.join(scratch, 'data');
/** Below the root, where the program finds the library, as in `.data`. */
const folder = path.join('.test-data', `recipe-${randomUUID()}`);
const MODULE_ID = 'a1c0ffee-0000-4000-8000-000000000010';
const local = sharedStack(dataDir);

afterAll(() => rm(path.join(ROOT, folder), { recursive: true, force: true }));

/** The block of a language below the recipe's heading. */
async function blockIn(language: string): Promise<string> {
  const page = await readFile(path.join(ROOT, 'docs/backends.md'), 'utf8');
  const [, below = ''] = page.split('\n## A back end in five minutes\n');
  const [, block = ''] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(below) ?? [];
  return block;
}

test('a back end that answers a new rule with an alert takes five commands, npm start included', async () => {
  const port = await freePort();
  await mkdir(path.join(ROOT, folder), { recursive: true });
  const program = (await blockIn('js')).replace('listen(3000', `listen(${port}`);
  await writeFile(path.join(ROOT, folder, 'backend.mjs'), program);
  const commands = await blockIn('sh');
  expect(commands.trim().split('\n')).toHaveLength(4);
  const running = runCommands(
    { HOME: scratch, DATA_DIR: dataDir },
    commands
      .replaceAll('http://127.0.0.1:8080', local.stack.url)
      .replaceAll('localhost:3000', `localhost:${port}`)
      .replaceAll('.data/', `${folder}/`),
  );
  await running.outputs('Following the events');
  const farmer = createApiClient(local.stack.url, { token: await signTokenOfAll(dataDir) });
  const params = { path: { orgId: DEMONSTRATION.meadowFarm.id } };
  const rule = await farmer.POST('/api/v8.0/{orgId}/alertRules', {
    params,
    body: { moduleId: MODULE_ID, criteria: 'soilMoisture', values: { operator: 'lt', value: 12 } },
  });
  const alertsOfRule = async () => {
    const alerts = await farmer.GET('/api/v8.0/{orgId}/alerts', { params });
    return alerts.data?.items.filter(({ ruleId }) => ruleId === rule.data?.id).map(({ title }) => title);
  };
  await expect.poll(alertsOfRule).toEqual(['The rule is watched']);
  await running.outputs('→ 204');
});
