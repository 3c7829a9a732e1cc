import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { findProgram } from '../../support/find-program.ts';

const promtool = findProgram('promtool');

test.runIf(promtool !== null)('Prometheus accepts the alert rules', () => {
  const result = spawnSync(promtool ?? '', ['check', 'rules', 'docs/observability/alert-rules.yaml']);
  expect(result.status, result.stderr.toString()).toBe(0);
});
