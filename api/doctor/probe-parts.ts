import type { CheckedSettings } from '../../shared/config/check-settings.ts';
import { probeDatabase } from '../../shared/db/probe-database.ts';
import { connectionNeeds } from '../../shared/process/connection-needs.ts';
import type { ProbeStep } from '../../shared/process/probe-step.ts';
import { within } from '../../shared/process/within.ts';
import { probeQueue } from '../../shared/queue/probe-queue.ts';
import { probeStorage } from '../../shared/storage/probe-storage.ts';
import { probeIssuer } from '../auth/probe-issuer.ts';
import { probeOutbound } from './probe-outbound.ts';
import { probeSettings } from './probe-settings.ts';

/** What was found of one part. */
export interface PartReport {
  readonly part: string;
  readonly steps: readonly ProbeStep[];
}

/** How many processes are to run. */
export interface Processes {
  readonly api: number;
  readonly workers: number;
}

type Steps = readonly ProbeStep[] | Promise<readonly ProbeStep[]>;

/** A part that hangs must not hide the others. */
const PART_MS = 45_000;

/** Tries every part for real, all at the same time. */
export async function probeParts(
  settings: CheckedSettings,
  processes: Processes,
): Promise<readonly PartReport[]> {
  const { config } = settings;
  const parts: Readonly<Record<string, () => Steps>> = {
    settings: () => probeSettings(settings),
    database: () => probeDatabasePart(settings, processes),
    queue: () => probeQueuePart(settings),
    storage: () => (hasIssue(settings, 'S3_') ? [SEE_SETTINGS] : probeStorage(config)),
    issuer: () => probeIssuerPart(settings),
    outbound: () => probeOutbound(config.outbound),
  };
  return Promise.all(
    Object.entries(parts).map(async ([part, probe]) => ({ part, steps: await inTime(part, probe) })),
  );
}

async function inTime(part: string, probe: () => Steps): Promise<readonly ProbeStep[]> {
  try {
    return await within(PART_MS, Promise.resolve(probe()));
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return [{ step: 'probe', ok: false, detail, advice: `Look at the log of the ${part}.` }];
  }
}

const SEE_SETTINGS: ProbeStep = {
  step: 'settings',
  ok: false,
  detail: 'Not tried, because its settings are wrong.',
  advice: 'Correct them first; they are listed under settings.',
};

function hasIssue({ issues }: CheckedSettings, prefix: string): boolean {
  return issues.some((issue) => issue.startsWith(prefix));
}

function notSet(setting: string, what: string): ProbeStep {
  const advice = `Set it to ${what}. Only npm start brings its own.`;
  return { step: 'settings', ok: false, detail: `${setting} is not set.`, advice };
}

function probeDatabasePart(settings: CheckedSettings, processes: Processes): Steps {
  const { config } = settings;
  const { url } = config.database;
  if (hasIssue(settings, 'DATABASE_') && url === null) return [SEE_SETTINGS];
  if (url === null) return [notSet('DATABASE_URL', 'the address of PostgreSQL')];
  const needed = {
    connections: connectionNeeds(config, processes),
    processes: `${counted(processes.api, 'API process', 'API processes')} and ${counted(processes.workers, 'worker', 'workers')}`,
  };
  return probeDatabase({ url, config: config.database, needed });
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function probeQueuePart(settings: CheckedSettings): Steps {
  const { redisUrl, database } = settings.config;
  if (hasIssue(settings, 'REDIS_') && redisUrl === null) return [SEE_SETTINGS];
  if (redisUrl === null && database.url === null)
    return [notSet('REDIS_URL', 'the address of Redis, or set DATABASE_URL')];
  return probeQueue({ redisUrl, databaseUrl: database.url ?? '' });
}

function probeIssuerPart(settings: CheckedSettings): Steps {
  const { issuer } = settings.config.auth;
  if (hasIssue(settings, 'AUTH_ISSUER') && issuer === null) return [SEE_SETTINGS];
  if (issuer === null) return [notSet('AUTH_ISSUER', 'the address of an OpenID Connect issuer')];
  return probeIssuer(issuer, settings.config);
}
