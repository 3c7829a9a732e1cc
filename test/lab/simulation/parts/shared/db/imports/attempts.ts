import type * as product from '../../../../../../../shared/db/imports/attempts.ts';
import { simulated } from '../../../../simulated-database.ts';

/** A part of statements of the product, which the simulated database does not run. */
export const ENDED_RECORDED = '';

export const startImport: typeof product.startImport = (database, job, runId) => {
  const simulation = simulated(database);
  return simulation.run(
    `start import ${job.importId}`,
    (now) => simulation.server.imports.start(job, runId, now),
    { attempt: { runId, retries: job.retries, isStart: true } },
  );
};

export const recordProgress: typeof product.recordProgress = (database, key, progress) => {
  const simulation = simulated(database);
  return simulation.run('record progress', (now) => simulation.server.imports.progress(key, progress, now), {
    attempt: { runId: key.runId, retries: null, isStart: false },
  });
};

export const endImport: typeof product.endImport = (database, key, end) => {
  const simulation = simulated(database);
  return simulation.run(`end import ${key.id}`, (now) => simulation.server.imports.end(key, end, now), {
    attempt: { runId: key.runId, retries: null, isStart: false },
  });
};

export const returnToQueue: typeof product.returnToQueue = () =>
  Promise.reject(new Error('no organization is suspended in the simulation'));
