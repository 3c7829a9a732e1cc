import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { runShell } from '../../support/run-shell.ts';
import { sharedStack } from '../../support/shared-stack.ts';

const README = readFileSync(path.resolve(import.meta.dirname, '../../../README.md'), 'utf8');
const local = sharedStack(path.join(inject('scratch'), `readme-${randomUUID()}`));

/** The lines of the README's first block with this start, without empty lines. */
function blockLines(language: string, start: string): string[] {
  const [, block = ''] = README.split(`\`\`\`${language}\n${start}`);
  return (block.split('```', 1)[0] ?? '').split('\n').filter((line) => line !== '');
}

test('the lines that npm start prints, pasted into a shell, import the example with the answer in the README', async () => {
  const pasted = local.stack.output.split('\n').filter((line) => /^(?:TOKEN=|curl )/.test(line));
  expect(pasted).toHaveLength(2);
  const stdout = await runShell(pasted.join('\n').replace('\ncurl ', '\ncurl -sS '));
  const shown = JSON.parse(`{${blockLines('json', '{').join('')}`) as Record<string, unknown>;
  const wanted = Object.entries(shown).map(([name, value]) => [
    name,
    value === '…' ? (expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown) : value,
  ]);
  expect(JSON.parse(stdout)).toEqual(Object.fromEntries(wanted));
});
