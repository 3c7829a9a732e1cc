import type { Machine, World } from './world.ts';

/** How often calls of a part go wrong while there are faults: probabilities. */
export interface LinkFaults {
  readonly requestLost: number;
  readonly answerLost: number;
  readonly slow: number;
}

export const NO_FAULTS: LinkFaults = { requestLost: 0, answerLost: 0, slow: 0 };

/** The part cannot be reached; whether it did what it was asked for is unknown. */
class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';
}

/** The way from processes to a part of the service, and back. */
export class Link {
  faults = NO_FAULTS;
  readonly #world: World;
  readonly #name: string;
  #downUntilMs = 0;
  /** Connections that were open before it went down are lost. */
  #outages = 0;

  constructor(world: World, name: string) {
    this.#world = world;
    this.#name = name;
  }

  goDown(durationMs: number): void {
    this.#outages += 1;
    this.#downUntilMs = this.#world.clock.nowMs + durationMs;
    this.#world.note(() => `${this.#name} is down for ${durationMs} ms`);
  }

  get isDown(): boolean {
    return this.#world.clock.nowMs < this.#downUntilMs;
  }

  /** Milliseconds that a message takes: mostly few, so that others come between any two. */
  latencyMs(): number {
    const { random } = this.#world;
    return random.chance(this.faults.slow) ? random.between(200, 5_000) : random.between(0, 12);
  }

  /** Has the part do something, and returns what it answers. What arrived is done even if nobody waits any more. */
  call<Result>(machine: Machine, what: string, serve: () => Result | Promise<Result>): Promise<Result> {
    const { clock, random } = this.#world;
    const isRequestLost = random.chance(this.faults.requestLost);
    const isAnswerLost = random.chance(this.faults.answerLost);
    return new Promise((resolve, reject) => {
      const answer = (act: () => void) => void clock.after(this.latencyMs(), machine, act);
      const lost = (detail: string) => {
        this.#world.note(() => `${machine.name}: ${this.#name}: ${what}: ${detail}`);
        answer(() => reject(new ConnectionLostError(`${this.#name}: ${detail}`)));
      };
      clock.after(this.latencyMs(), null, () => {
        if (this.isDown || isRequestLost) {
          lost('not reached');
          return;
        }
        const outages = this.#outages;
        const done = (result: Result) => {
          if (isAnswerLost || outages !== this.#outages) lost('done, answer lost');
          else answer(() => resolve(result));
        };
        const failed = (error: unknown) => {
          answer(() => reject(error instanceof Error ? error : new Error(String(error))));
        };
        try {
          const result = serve();
          if (result instanceof Promise) result.then(done, failed);
          else done(result);
        } catch (error) {
          failed(error);
        }
      });
    });
  }
}
