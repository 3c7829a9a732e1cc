import { jobIdOf, type JobKey, type OpenQueue } from '../../../shared/queue/import-queue.ts';
import type { QueuedJob } from '../../../shared/queue/queue-connection.ts';
import type { GroupRun, JobHandlers } from '../../../shared/queue/import-worker.ts';
import { Link } from './link.ts';
import type { Machine, World } from './world.ts';

const LOCK_MS = 6_000;
const STALL_CHECK_MS = 3_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

interface SimulatedJob {
  readonly id: string;
  readonly data: QueuedJob;
  state: 'waiting' | 'delayed' | 'active';
  attemptsMade: number;
  attemptsStarted: number;
  takeOvers: number;
  /** Changes with each run: only its holder may end the job. */
  token: number;
  lockedUntilMs: number;
}

interface SimulatedWorker {
  readonly machine: Machine;
  readonly handlers: JobHandlers;
  freeSlots: number;
}

/** BullMQ as far as the protocol depends on it: locks that expire, attempts with waits, jobs that are handed out again. */
export class QueueServer {
  readonly link: Link;
  readonly jobs = new Map<string, SimulatedJob>();
  readonly #world: World;
  readonly #maxTakeOvers: number;
  #workers: SimulatedWorker[] = [];
  #tokens = 0;

  constructor(world: World, maxTakeOvers: number) {
    this.#world = world;
    this.#maxTakeOvers = maxTakeOvers;
    this.link = new Link(world, 'queue');
  }

  add(data: QueuedJob): void {
    const id = jobIdOf(data);
    if (this.jobs.has(id)) return;
    const rest = {
      state: 'waiting',
      attemptsMade: 0,
      attemptsStarted: 0,
      takeOvers: 0,
      token: 0,
      lockedUntilMs: 0,
    } as const;
    this.jobs.set(id, { id, data, ...rest });
    this.#dispatch();
  }

  stateOf(job: JobKey): SimulatedJob['state'] | 'unknown' {
    return this.jobs.get(jobIdOf(job))?.state ?? 'unknown';
  }

  /** A job that runs stays. */
  remove(job: JobKey): void {
    if (this.stateOf(job) !== 'active') this.jobs.delete(jobIdOf(job));
  }

  /** The queue as the API and the sweep use it. */
  open(machine: Machine): OpenQueue {
    const call = <Result>(what: string, serve: () => Result) => this.link.call(machine, what, serve);
    const open: Omit<OpenQueue, 'lanes'> = {
      addImport: (job) => call(`add job ${jobIdOf(job)}`, () => this.add(job)),
      jobState: (job) => call('get state', () => this.stateOf(job)),
      check: () => call('check', () => undefined),
      countJobs: () => call('count jobs', () => this.#count()),
      removeJob: (job) => call(`remove job ${jobIdOf(job)}`, () => this.remove(job)),
      close: () => Promise.resolve(),
    };
    return open as OpenQueue;
  }

  /** Hands jobs to a worker until its machine is killed. */
  work(machine: Machine, handlers: JobHandlers, slots: number): void {
    const worker = { machine, handlers, freeSlots: slots };
    this.#workers.push(worker);
    machine.whenKilled(() => {
      this.#workers = this.#workers.filter((each) => each !== worker);
    });
    const checkAgain = () => {
      this.#world.clock.after(STALL_CHECK_MS, machine, () => {
        this.#checkStalled(worker);
        checkAgain();
      });
    };
    checkAgain();
    this.#dispatch();
  }

  /** The queue comes back without some of its jobs. */
  lose(isLost: () => boolean): void {
    for (const { id } of [...this.jobs.values()])
      if (isLost()) {
        this.jobs.delete(id);
        this.#world.note(() => `queue loses the job ${id}`);
      }
  }

  copy(): readonly SimulatedJob[] {
    return [...this.jobs.values()].map((job) => ({ ...job }));
  }

  /** The queue comes back as it was: what ended since is there again. */
  restore(jobs: readonly SimulatedJob[]): void {
    this.jobs.clear();
    for (const job of jobs)
      this.jobs.set(job.id, { ...job, state: job.state === 'delayed' ? 'waiting' : job.state });
    this.#world.note(() => `queue restored with ${jobs.length} jobs`);
    this.#dispatch();
  }

  /** Lets the lock of each active job expire, as when its worker cannot renew it. */
  expireLocks(): void {
    for (const job of this.jobs.values()) job.lockedUntilMs = 0;
    this.#world.note(() => 'queue: all locks expire');
  }

  #count(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { state } of this.jobs.values()) counts[state] = (counts[state] ?? 0) + 1;
    return counts;
  }

  #dispatch(): void {
    this.#world.clock.after(this.link.latencyMs(), null, () => {
      if (this.link.isDown) {
        this.#world.clock.after(500, null, () => this.#dispatch());
        return;
      }
      for (const job of this.jobs.values()) {
        const free = this.#workers.filter(({ freeSlots }) => freeSlots > 0);
        if (free.length === 0) return;
        if (job.state === 'waiting') this.#take(this.#world.random.pick(free), job);
      }
    });
  }

  #take(worker: SimulatedWorker, job: SimulatedJob): void {
    const { clock } = this.#world;
    const token = ++this.#tokens;
    worker.freeSlots -= 1;
    Object.assign(job, { state: 'active', token, lockedUntilMs: clock.nowMs + LOCK_MS });
    job.attemptsStarted += 1;
    const { id, data, attemptsMade, attemptsStarted } = job;
    this.#world.note(() => `${worker.machine.name} takes the job ${id}, attempt ${attemptsMade + 1}`);
    let hasEnded = false;
    const renewAgain = () =>
      clock.after(LOCK_MS / 2, worker.machine, () => {
        const held = this.#held(id, token);
        if (held === null || hasEnded) return;
        if (!this.link.isDown) held.lockedUntilMs = clock.nowMs + LOCK_MS;
        renewAgain();
      });
    renewAgain();
    clock.after(this.link.latencyMs(), worker.machine, () => {
      const { handlers } = worker;
      const groupRun: GroupRun = {
        priority: 0,
        mayStart: () => attemptsStarted === 1,
        inSlot: (act) => act(),
      };
      const running = 'groupId' in data ? handlers.runGroup(data, groupRun) : handlers.run(data);
      const run = running.finally(() => {
        hasEnded = true;
      });
      run.then(
        () => this.#end(worker, job, token, () => this.#complete(id, token)),
        () => this.#end(worker, job, token, () => this.#delay(id, token)),
      );
    });
  }

  /** The job of a run that still holds it. */
  #held(id: string, token: number): SimulatedJob | null {
    const job = this.jobs.get(id);
    return job?.state === 'active' && job.token === token ? job : null;
  }

  /** A run whose end does not reach the queue is over when its lock expires. */
  #end(worker: SimulatedWorker, job: SimulatedJob, token: number, end: () => void): void {
    this.link.call(worker.machine, `end job ${job.id}`, end).catch(() => {
      if (job.token === token) job.token = 0;
    });
    worker.freeSlots += 1;
    this.#dispatch();
  }

  #complete(id: string, token: number): void {
    if (this.#held(id, token) !== null) this.jobs.delete(id);
  }

  #delay(id: string, token: number): void {
    const job = this.#held(id, token);
    if (job === null) return;
    job.attemptsMade += 1;
    job.state = 'delayed';
    const longestMs = Math.min(FIRST_WAIT_MS * 2 ** (job.attemptsMade - 1), LONGEST_WAIT_MS);
    const waitMs = this.#world.random.between(longestMs / 2, longestMs);
    this.#world.clock.after(waitMs, null, () => {
      if (job.state !== 'delayed') return;
      job.state = 'waiting';
      this.#dispatch();
    });
  }

  #exhaust(worker: SimulatedWorker, job: SimulatedJob): void {
    this.jobs.delete(job.id);
    this.#world.note(() => `queue: the job ${job.id} has failed`);
    const { data } = job;
    if ('groupId' in data) return;
    this.#world.clock.after(this.link.latencyMs(), worker.machine, () => {
      worker.handlers
        .exhausted(data)
        .catch(() => this.#world.note(() => `import ${data.importId} could not be marked as failed`));
    });
  }

  #checkStalled(worker: SimulatedWorker): void {
    if (this.link.isDown) return;
    for (const job of this.jobs.values()) {
      if (job.state !== 'active' || job.lockedUntilMs > this.#world.clock.nowMs) continue;
      job.takeOvers += 1;
      this.#world.note(() => `queue: the job ${job.id} has stalled`);
      if (job.takeOvers > this.#maxTakeOvers) this.#exhaust(worker, job);
      else job.state = 'waiting';
    }
    this.#dispatch();
  }
}
