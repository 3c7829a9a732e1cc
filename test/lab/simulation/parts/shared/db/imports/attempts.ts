import type * as product from '../../../../../../../shared/db/imports/attempts.ts';
import { simulated } from '../../../../simulated-database.ts';

/** A part of statements of the product, which the simulated database does not run. */
export const ENDED_RECORDED = '';

export const startImports: typeof product.startImports = (database, attempts) => {
  const simulation = simulated(database);
  return simulation.run(
    `start imports ${attempts.map(({ importId }) => importId).join(' ')}`,
    (now) => attempts.map((attempt) => simulation.server.imports.start(attempt, attempt.runId, now)),
    { attempts: attempts.map((attempt) => ({ ...attempt, isStart: true })) },
  );
};

export const recordProgress: typeof product.recordProgress = (database, key, progress) => {
  const simulation = simulated(database);
  return simulation.run('record progress', (now) => simulation.server.imports.progress(key, progress, now), {
    attempts: [{ runId: key.runId, retries: null, isStart: false }],
  });
};

export const endImport: typeof product.endImport = (database, key, end) => {
  const simulation = simulated(database);
  return simulation.run(`end import ${key.id}`, (now) => simulation.server.imports.end(key, end, now), {
    attempts: [{ runId: key.runId, retries: null, isStart: false }],
  });
};

export const returnToQueue: typeof product.returnToQueue = () =>
  Promise.reject(new Error('no organization is suspended in the simulation'));
