import type { Database } from './database.ts';
import { queryRows } from './statement.ts';

/** A task of which one process at a time has the lease. */
export interface LeasedTask {
  readonly name: string;
  /** After this long without an extension another process may take the lease: its holder has died. */
  readonly leaseMs: number;
  readonly everyMs: number;
}

/** A process, and the task whose lease it has. */
export interface LeaseKey {
  readonly name: string;
  readonly holder: string;
}

const ADD = `
  insert into leases (name, expires_at, due_at)
  select name, now(), now() + random() * every_ms * interval '1 millisecond'
  from unnest(:names::text[], :everyMs::int[]) as task (name, every_ms)
  on conflict (name) do nothing`;

/** Ensures that the tasks have their rows. New tasks are first due within their intervals, so that not all run at once. */
export async function addTasks(
  database: Database,
  tasks: readonly Pick<LeasedTask, 'name' | 'everyMs'>[],
): Promise<void> {
  const names = tasks.map(({ name }) => name);
  const everyMs = tasks.map((task) => task.everyMs);
  await database.raw(ADD, { names, everyMs });
}

/*
 * A time that is further ahead than any that is written was written before the database's clock was put back: without
 * that condition, nothing would run until the clock is there again.
 */
const CLAIM = `
  update leases set holder = :holder, expires_at = now() + task.lease_ms * interval '1 millisecond'
  from unnest(:names::text[], :leaseMs::int[], :everyMs::int[]) as task (name, lease_ms, every_ms)
  where leases.name = task.name
    and (leases.due_at <= now() or leases.due_at > now() + 2 * task.every_ms * interval '1 millisecond')
    and (leases.expires_at <= now() or leases.expires_at > now() + 2 * task.lease_ms * interval '1 millisecond')
  returning leases.name`;

/** Takes the leases of those tasks that are due and that no other process runs; returns their names. */
export async function claimDueTasks(
  database: Database,
  holder: string,
  tasks: readonly LeasedTask[],
): Promise<readonly string[]> {
  const names = tasks.map(({ name }) => name);
  const leaseMs = tasks.map((task) => task.leaseMs);
  const everyMs = tasks.map((task) => task.everyMs);
  const values = { holder, names, leaseMs, everyMs };
  const rows = await queryRows<{ name: string }>(database, CLAIM, values);
  return rows.map(({ name }) => name);
}

/** Keeps the lease of a task that still runs. */
export async function extendLease(
  database: Database,
  { name, holder }: LeaseKey,
  leaseMs: number,
): Promise<void> {
  await database.raw(
    `update leases set expires_at = now() + :leaseMs * interval '1 millisecond'
     where name = :name and holder = :holder`,
    { name, holder, leaseMs },
  );
}

/** Returns the lease of a task that has run. It is due again after this time, up to a tenth sooner or later. */
export async function returnLease(
  database: Database,
  { name, holder }: LeaseKey,
  everyMs: number,
): Promise<void> {
  await database.raw(
    `update leases set expires_at = now(), holder = null,
       due_at = now() + :everyMs * (0.9 + random() * 0.2) * interval '1 millisecond'
     where name = :name and holder = :holder`,
    { name, holder, everyMs },
  );
}
