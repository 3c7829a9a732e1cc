import type { Output } from './output.ts';

const BAR = 24;
/** Redrawing more often is not visible. */
const REDRAW_MS = 80;

/** A size for people, such as `1.5 MB`. */
export function sizeOf(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const value = bytes / 1000 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power] ?? ''}`;
}

/** A line of a terminal that is redrawn; if messages go to a file, one line for each step. */
export class ProgressLine {
  readonly #output: Output;
  #step = '';
  #drawnMs = 0;
  #isDrawn = false;

  constructor(output: Output) {
    this.#output = output;
  }

  /** Shows the progress of a step; without a total, only how much is done. `unit` formats an amount. */
  show(step: string, done: number, total: number | null, unit: (amount: number) => string = String): void {
    const isNew = step !== this.#step;
    if (!this.#output.hasTerminal) {
      if (isNew) this.#output.say(`${step} …`);
      this.#step = step;
      return;
    }
    const nowMs = performance.now();
    if (!isNew && nowMs - this.#drawnMs < REDRAW_MS && done !== total) return;
    this.#step = step;
    this.#drawnMs = nowMs;
    this.#output.messages(`\r\u001b[2K${step.padEnd(9)} ${amount(done, total, unit)}`);
    this.#isDrawn = true;
  }

  /** Removes the line, so that later output starts on an empty line. */
  end(): void {
    if (this.#isDrawn) this.#output.messages('\r\u001b[2K');
    this.#isDrawn = false;
  }
}

function amount(done: number, total: number | null, unit: (amount: number) => string): string {
  if (total === null || total === 0) return done === 0 ? '…' : unit(done);
  const share = Math.min(done / total, 1);
  const full = Math.round(share * BAR);
  const bar = '━'.repeat(full) + '╌'.repeat(BAR - full);
  return `${bar} ${String(Math.round(share * 100)).padStart(3)} %  ${unit(done)} of ${unit(total)}`;
}
