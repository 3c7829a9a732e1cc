import { createHash } from 'node:crypto';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

/** The slowest files, which mostly wait for processes: they start first, so that no worker ends alone. */
const LONGEST =
  /\/(?:local-stack\/|cli\/same-as-server|equal-content|rolling-restart|killed-worker|lost-host|upload-memory|deadlines)/;

/**
 * Shuffles the files by the seed, but keeps those of one project together: a worker keeps the modules that
 * it has loaded for as long as the next file is of the same project.
 */
export class FileOrder extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { seed } = this.ctx.config.sequence;
    const keyOf = ({ moduleId, project }: TestSpecification) => {
      const rank = LONGEST.test(moduleId) ? 0 : 1;
      return `${project.name} ${rank} ${createHash('sha256').update(`${seed} ${moduleId}`).digest('hex')}`;
    };
    const keys = new Map(files.map((file) => [file, keyOf(file)]));
    return Promise.resolve(files.toSorted((a, b) => ((keys.get(a) ?? '') < (keys.get(b) ?? '') ? -1 : 1)));
  }
}
