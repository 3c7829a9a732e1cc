import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ImportGroup } from '../../shared/db/imports/attempts.ts';
import { findImport } from '../../shared/db/imports/imports.ts';
import { importGroup } from '../../worker/import/import-group.ts';
import { sweepImports } from '../../worker/maintenance/sweep-imports.ts';
import type { WorkerContext } from '../../worker/worker-context.ts';
import { expectEndedOnce } from '../support/ended-once.ts';
import {
  FIRST_START,
  LATER_START,
  contextOf,
  openActor,
  runImport,
  storeGroup,
  type Actor,
} from '../support/import-actors.ts';
import { StepGate } from '../support/step-gate.ts';
import { startTestApp, type TestApp, type TestOrganization } from '../support/test-app.ts';

let app: TestApp;
let vendor: TestOrganization;
let first: Actor;
let second: Actor;

beforeAll(async () => {
  app = await startTestApp({ worker: false });
  vendor = await app.organization();
  first = openActor(app);
  second = openActor(app);
});

afterAll(async () => {
  await first.database.destroy();
  await second.database.destroy();
  await app.stop();
});

const SIZE = 3;

const rowsOf = ({ importIds }: ImportGroup) =>
  Promise.all(importIds.map((importId) => findImport(app.api.database, null, importId)));

const jobOf = (importId: string) => app.api.queue.jobState({ importId, retries: 0 });

/** The steps of a worker that runs a group. */
async function stepsOfGroup(): Promise<number> {
  first.gate = new StepGate(0);
  await importGroup(contextOf(app, first), await storeGroup(app, vendor, SIZE), FIRST_START);
  return first.gate.steps;
}

/** Runs the jobs that the imports of a group have of their own. */
async function runJobs({ importIds }: ImportGroup, situation: string): Promise<void> {
  for (const importId of importIds) {
    if ((await jobOf(importId)) !== 'waiting') continue;
    expect(await runImport(contextOf(app, second), importId, { attempts: 1 }), situation).toBe(true);
    await app.api.queue.removeJob({ importId, retries: 0 });
  }
}

const RECOVERIES = {
  'the second start of its job': (context: WorkerContext, group: ImportGroup) =>
    importGroup(context, group, LATER_START),
  'the sweep': (context: WorkerContext) => sweepImports(context, 0),
};

const STOPS = [
  ['a worker dies at whatever step of a group', true],
  ['an import stops at whatever step while its neighbors end', false],
] as const;

const CASES = STOPS.flatMap(([what, stopsAll]) =>
  Object.entries(RECOVERIES).map(([by, recover]) => [what, by, stopsAll, recover] as const),
);

test.each(CASES)(
  '%s: by %s each import ends once, none that had ended runs again, and one that goes on late changes nothing',
  async (_what, _by, stopsAll, recover) => {
    const steps = await stepsOfGroup();
    expect(steps).toBeGreaterThan(2 * SIZE);
    for (let step = 1; step <= steps; step += 1) {
      const situation = `stopped at step ${step} of ${steps}`;
      const group = await storeGroup(app, vendor, SIZE);
      const gate = new StepGate(step, stopsAll);
      first.gate = gate;
      const late = importGroup(contextOf(app, first), group, FIRST_START);
      // Which steps the imports share differs from run to run: the last may not be reached.
      await Promise.race([gate.reached, late]);
      const ended = (await rowsOf(group)).filter((row) => row?.status === 'succeeded');
      await recover(contextOf(app, second), group);
      await runJobs(group, situation);
      await expectEndedOnce(app, group.importIds, situation);
      const rows = await rowsOf(group);
      expect(rows, situation).toEqual(expect.arrayContaining(ended));
      gate.open();
      await late;
      expect(await rowsOf(group), situation).toEqual(rows);
      await expectEndedOnce(app, group.importIds, situation);
    }
  },
);

test('an import that has ended does not run again when its group starts again', async () => {
  first.gate = new StepGate(0);
  const group = await storeGroup(app, vendor, SIZE);
  const importIds = group.importIds.slice(0, 1);
  await importGroup(contextOf(app, first), { ...group, importIds }, FIRST_START);
  const [ended] = await rowsOf(group);
  expect(ended?.status).toBe('succeeded');
  await importGroup(contextOf(app, first), group, LATER_START);
  await runJobs(group, 'after the second start');
  expect((await rowsOf(group))[0]).toEqual(ended);
  await expectEndedOnce(app, group.importIds);
});
