import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { NODE_OPTIONS } from '../../../shared/process/node-options.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

test('the image starts Node with the options of the service', () =>
  expect(read('Dockerfile')).toContain(
    `\nENTRYPOINT ${JSON.stringify(['node', ...NODE_OPTIONS]).replaceAll(',', ', ')}\n`,
  ));

test.each(['api', 'worker'])(
  'the systemd unit of the %s starts Node with the options of the service',
  (name) => {
    const unit = read(`docs/deployment/systemd/module-import-${name}@.service`);
    expect(unit).toContain(`\nExecStart=/usr/bin/node ${NODE_OPTIONS.join(' ')} dist/${name}/main.js\n`);
  },
);
