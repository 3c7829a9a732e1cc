import { VirtualClock, type Owner } from './clock.ts';
import type { Guarantee } from './guarantees.ts';
import { Random } from '../../support/random.ts';

/** A process of the service. Killed, it never continues; suspended, it continues later. */
export class Machine implements Owner {
  readonly name: string;
  runsFromMs: number | null = 0;
  readonly #whenKilled: (() => void)[] = [];

  constructor(name: string) {
    this.name = name;
  }

  get isKilled(): boolean {
    return this.runsFromMs === null;
  }

  kill(): void {
    this.runsFromMs = null;
    for (const act of this.#whenKilled.splice(0)) act();
  }

  whenKilled(act: () => void): void {
    this.#whenKilled.push(act);
  }
}

/** A guarantee of the protocol does not hold. */
export class BrokenGuarantee extends Error {
  override readonly name = 'BrokenGuarantee';
  readonly guarantee: Guarantee;

  constructor(guarantee: Guarantee, detail: string) {
    super(`${guarantee}: ${detail}`);
    this.guarantee = guarantee;
  }
}

/** The state shared by all parts of one simulation: the time, the randomness, and the trace. */
export class World {
  readonly clock = new VirtualClock();
  readonly random: Random;
  /** The first guarantee that did not hold: the simulation stops there. */
  broken: BrokenGuarantee | null = null;
  readonly #startMs = this.clock.nowMs;
  readonly #trace: string[] | null;

  constructor(seed: number, trace: string[] | null) {
    this.random = new Random(seed);
    this.#trace = trace;
  }

  /** @param line is called only where a trace is wanted */
  note(line: () => string): void {
    if (this.#trace === null) return;
    const seconds = ((this.clock.nowMs - this.#startMs) / 1_000).toFixed(3);
    this.#trace.push(`${seconds.padStart(8)} ${line()}`);
  }

  /** @throws never: the code that broke the guarantee would catch it */
  require(isKept: boolean, guarantee: Guarantee, detail: () => string): void {
    if (isKept || this.broken !== null) return;
    this.broken = new BrokenGuarantee(guarantee, detail());
    this.note(() => `BROKEN ${guarantee}: ${detail()}`);
  }
}
