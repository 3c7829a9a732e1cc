import { expect } from 'vitest';
import { findImport } from '../../shared/db/imports/imports.ts';
import { recordedChanges } from './recorded-changes.ts';
import type { TestApp } from './test-app.ts';

/** Each of these imports, of packages that name no module, has ended once: it has made one module, with one revision. */
export async function expectEndedOnce(
  app: TestApp,
  importIds: readonly string[],
  situation?: string,
): Promise<void> {
  const { database } = app.api;
  const moduleIds = new Set<string>();
  for (const importId of importIds) {
    const row = await findImport(database, null, importId);
    expect(row, situation).toMatchObject({
      status: 'succeeded',
      outcome: 'created',
      revision: 1,
      failedAt: null,
    });
    const moduleId = row?.moduleId ?? '';
    moduleIds.add(moduleId);
    expect(await database('module_revisions').where({ moduleId }).select('revision'), situation).toEqual([
      { revision: 1 },
    ]);
    const ends = (await recordedChanges(app, moduleId)).filter(({ type }) => type === 'import.ended');
    expect(ends, situation).toMatchObject([{ subject: { importId, status: 'succeeded', revision: 1 } }]);
  }
  expect(moduleIds.size, situation).toBe(importIds.length);
}
