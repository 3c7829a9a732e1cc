import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 10;

/** Prints at the end of a run which files took the longest. */
export class RunSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const slowest = modules
      .map((each) => ({ name: each.relativeModuleId, seconds: each.diagnostic().duration / 1_000 }))
      .toSorted((a, b) => b.seconds - a.seconds)
      .slice(0, SHOWN);
    if (slowest.length < SHOWN) return;
    const lines = slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${name}\n`);
    process.stdout.write(`\n The ${SHOWN} slowest files\n${lines.join('')}`);
  }
}
