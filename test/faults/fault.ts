import type { FaultStack } from './fault-stack.ts';

/** What the machine must have for a fault. */
export type Need = 'redis and S3' | 'mount namespace' | 'network namespaces' | 'faketime';

/** How the service is run. */
export interface StackSettings {
  readonly name: string;
  /** Queue and storage that it runs on. */
  readonly parts: 'PostgreSQL, directory' | 'Redis, S3';
  /** How many workers; three by default. */
  readonly workers?: number;
  /** Runs each process on a host of its own. */
  readonly isOnHosts?: boolean;
  /** Settings in addition to those of the parts. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Watches each worker's connections to PostgreSQL and S3, so that it can be killed at one of its statements. */
  readonly watchesWorkers?: boolean;
  readonly isOnSmallDisk?: boolean;
  /** Has the first worker read its clock from a file. */
  readonly fakesClock?: boolean;
}

/** One fault that repeats while imports run. */
export interface Fault extends StackSettings {
  readonly needs?: readonly Need[];
  /** How often it must occur at least, however few imports were requested. */
  readonly minTimes?: number;
  /** Between the end of one occurrence and the start of the next. */
  readonly pauseMs: number;
  /** Causes the fault and ends it; resolves when the part is back. */
  inject(stack: FaultStack, round: number): Promise<void>;
}
