import { type Link, type LinkFaults, NO_FAULTS } from './link.ts';
import type { Service } from './service.ts';
import type { Machine, World } from './world.ts';

const LONGEST_PAUSE_MS = 20_000;

/** The faults while the clients work: each simulation has some kinds of faults, one in eight has none. */
export class Faults {
  readonly areAny: boolean;
  readonly #service: Service;
  readonly #world: World;
  #areOver = false;

  constructor(service: Service) {
    this.#service = service;
    this.#world = service.world;
    this.areAny = !this.#world.random.chance(1 / 8);
  }

  /** Lets faults happen, the last well before then. */
  start(durationMs: number): void {
    if (!this.areAny) return;
    const { clock, random } = this.#world;
    const { database, storage, queue } = this.#service;
    for (const { link } of [database, storage, queue])
      if (random.chance(0.5)) link.faults = this.#linkFaults();
    const kinds = this.#events().filter(() => random.chance(0.3));
    for (const event of kinds)
      for (let times = random.between(1, 3); times > 0; times -= 1)
        clock.after(random.between(0, durationMs - LONGEST_PAUSE_MS), null, () => {
          if (!this.#areOver) event();
        });
  }

  /** From now on every part works. */
  stop(): void {
    const { database, storage, queue } = this.#service;
    for (const { link } of [database, storage, queue]) link.faults = NO_FAULTS;
    this.#areOver = true;
    this.#world.note(() => 'the last fault is over');
  }

  #linkFaults(): LinkFaults {
    const { random } = this.#world;
    const often = () => (random.chance(0.5) ? random.pick([0.01, 0.05, 0.2]) : 0);
    return { requestLost: often(), answerLost: often(), slow: random.chance(0.5) ? 0.05 : 0 };
  }

  #events(): readonly (() => void)[] {
    const { random, clock } = this.#world;
    const service = this.#service;
    const { database, storage, queue } = service;
    const outageMs = () => random.between(100, 8_000);
    const goDown = (link: Link) => () => link.goDown(outageMs());
    return [
      goDown(database.link),
      goDown(storage.link),
      goDown(queue.link),
      () => database.crash(outageMs()),
      () => queue.lose(() => random.chance(0.5)),
      () => {
        const jobs = queue.copy();
        clock.after(random.between(100, 3_000), null, () => queue.restore(jobs));
      },
      () => queue.expireLocks(),
      () => this.#restart(this.#anyWorker(), () => service.startWorker()),
      () => this.#restart(this.#anyApi(), () => service.startApi()),
      () => this.#suspend(random.chance(0.5) ? this.#anyWorker() : this.#anyApi()),
    ];
  }

  #anyWorker(): Machine | null {
    const { workers } = this.#service;
    return workers.length === 0 ? null : this.#world.random.pick(workers);
  }

  #anyApi(): Machine | null {
    const { apis } = this.#service;
    return apis.length === 0 ? null : this.#world.random.pick(apis).machine;
  }

  #restart(machine: Machine | null, start: () => void): void {
    if (machine === null) return;
    this.#service.kill(machine);
    this.#world.clock.after(this.#world.random.between(0, 5_000), null, start);
  }

  #suspend(machine: Machine | null): void {
    if (machine === null) return;
    const pauseMs = this.#world.random.between(500, LONGEST_PAUSE_MS);
    this.#world.note(() => `${machine.name} is suspended for ${pauseMs} ms`);
    machine.runsFromMs = this.#world.clock.nowMs + pauseMs;
  }
}
