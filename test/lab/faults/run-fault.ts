import { setTimeout } from 'node:timers/promises';
import { openDatabase } from '../../../shared/db/database.ts';
import { allowsWitness, startChangeWitness, type ChangeOutcome } from './change-witness.ts';
import { Client, type UploadStory } from './clients.ts';
import type { ClientSettings, Fault, Load } from './fault.ts';
import { startFaultStack, type FaultStack } from './stack/fault-stack.ts';
import type { FaultParts } from './stack/fault-parts.ts';
import { compareOutcome, type Outcome } from './outcome.ts';
import { makeUpload } from './packages.ts';

const USUAL_CLIENTS: ClientSettings = {
  count: Number(process.env['FAULT_CLIENTS'] ?? 32),
  pollMs: 150,
  patienceMs: 150_000,
};
/** Between two occurrences; by default what the fault says. */
const PAUSE_SECONDS = process.env['FAULT_PAUSE_SECONDS'];
/** However few imports were requested, a fault must occur at least this often while some run. */
const MIN_OCCURRENCES = Number(process.env['FAULT_TIMES'] ?? 3);
/** One of the uploads after the last occurrence shows the recovery from it. */
const LAST_UPLOADS = 6;
const MAX_END_WAIT_MS = 120_000;
/** A fault repeats once the service works again, or has needed far too long. */
const MAX_WAIT_MS = 30_000;

/** One row of the table. */
export interface FaultResult {
  readonly fault: Fault;
  readonly imports: number;
  readonly occurrences: number;
  readonly acknowledged: number;
  /** From a part's return until the first import that started after it ended; the longest of all occurrences. */
  readonly recoveryMs: number;
  /** The longest time of one import for its client, with all its attempts. */
  readonly longestMs: number;
  readonly outcome: Outcome;
  /** Null: a fault that changes are not made under. */
  readonly changes: ChangeOutcome | null;
  readonly strange: readonly string[];
}

/** Runs imports, and makes changes, while a fault repeats, then compares what was acknowledged with what exists. */
export async function runFault(parts: FaultParts, fault: Fault, imports: number): Promise<FaultResult> {
  const stack = await startFaultStack(parts, fault);
  try {
    const witness = allowsWitness(fault) ? await startChangeWitness(stack) : null;
    const { stories, returnsMs, issues } = await runLoad(
      stack,
      fault,
      imports * (fault.importsFactor ?? 1),
      () => witness?.isEnough() ?? true,
    );
    await allEnded(stack);
    const changes = (await witness?.finish()) ?? null;
    const acknowledged = stories.filter((story) => story.acknowledged.length > 0);
    return {
      fault,
      imports: stories.length,
      occurrences: returnsMs.length,
      acknowledged: acknowledged.length,
      recoveryMs: Math.max(...returnsMs.map((returnMs) => recoveryMs(stories, returnMs))),
      longestMs: Math.max(...acknowledged.map(({ startedMs, endedMs }) => (endedMs ?? Infinity) - startedMs)),
      outcome: await compareOutcome(stack, stories),
      changes,
      strange: [
        ...stories.flatMap(({ strange }) => strange),
        ...issues,
        ...(changes?.issues ?? []),
        ...(await stack.secretsInLogs()),
      ],
    };
  } finally {
    await stack.stop();
  }
}

async function runLoad(stack: FaultStack, fault: Fault, imports: number, areChangesEnough: () => boolean) {
  const stories: UploadStory[] = [];
  const load: Load = { imports, stories, issues: [] };
  const forms: Buffer[] = [];
  const returnsMs: number[] = [];
  const { clients = USUAL_CLIENTS } = fault;
  const injecting = { isOver: false };
  let made = 0;
  const lane = async (isEnough: () => boolean) => {
    const client = new Client(stack.address, clients);
    while (!isEnough()) {
      const index = made;
      made += 1;
      const anyUpload = await makeUpload(index, fault.parts === 'Redis, S3');
      const upload = clients === USUAL_CLIENTS ? anyUpload : { ...anyUpload, isAsync: true };
      const story = await client.upload(upload);
      stories.push(story);
      if (stack.own.postgres !== null) forms.push(upload.form);
    }
  };
  const inject = async () => {
    const minTimes = fault.minTimes ?? MIN_OCCURRENCES;
    while (made < imports || returnsMs.length < minTimes || !areChangesEnough()) {
      await setTimeout(PAUSE_SECONDS === undefined ? fault.pauseMs : Number(PAUSE_SECONDS) * 1_000);
      await fault.inject(stack, returnsMs.length, load);
      const returnMs = Date.now();
      returnsMs.push(returnMs);
      while (recoveryMs(stories, returnMs) === Infinity && Date.now() < returnMs + MAX_WAIT_MS)
        await setTimeout(50);
    }
    injecting.isOver = true;
  };
  const lanes = Array.from({ length: clients.count }, () => lane(() => injecting.isOver));
  await Promise.all([inject(), ...lanes]);
  const last = made + LAST_UPLOADS;
  await lane(() => made >= last);
  const sent = stories.entries();
  const check = async () => {
    const client = new Client(stack.address, clients);
    for (const [index, story] of sent) {
      const form = forms[index];
      if (form !== undefined && story.acknowledged.length > 0) await client.check(story, form);
    }
  };
  await Promise.all(Array.from({ length: clients.count }, check));
  return { stories, returnsMs, issues: load.issues };
}

function recoveryMs(stories: readonly UploadStory[], returnMs: number): number {
  const later = stories.filter(({ startedMs }) => startedMs >= returnMs);
  return Math.min(...later.map(({ endedMs }) => endedMs ?? Infinity)) - returnMs;
}

/** Waits until every import has ended, for a limited time; what has not ended by then is lost. */
async function allEnded({ databaseUrl }: FaultStack): Promise<void> {
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    const startMs = Date.now();
    while (Date.now() < startMs + MAX_END_WAIT_MS) {
      await setTimeout(200);
      const rows = await database('imports').whereIn('status', ['queued', 'running']).select('id').limit(1);
      if (rows.length === 0) return;
    }
  } finally {
    await database.destroy();
  }
}
