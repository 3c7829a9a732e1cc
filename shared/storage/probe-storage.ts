import type { Config } from '../config/config.ts';
import { probeBucket } from './probe-bucket.ts';
import { probeDirectory } from './probe-directory.ts';
import type { ProbeStep } from '../process/probe-step.ts';

/**
 * Tries for real what the service needs of its storage, with objects of its own that it removes again. Never throws: a
 * step that fails says what is wrong and what to do. Steps that need a failed one are left out.
 */
export function probeStorage(config: Pick<Config, 's3' | 'dataDir'>): Promise<readonly ProbeStep[]> {
  return config.s3 === null ? probeDirectory(config.dataDir) : probeBucket(config.s3);
}
