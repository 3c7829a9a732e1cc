import type { FaultStack } from './fault-stack.ts';

/** What the machine must have for a fault. */
export type Need = 'redis and S3' | 'mount namespace' | 'network namespaces' | 'faketime';

/** How the service is run. */
export interface StackSettings {
  readonly name: string;
  /** Queue and storage that it runs on. */
  readonly parts: 'PostgreSQL, directory' | 'Redis, S3';
  /** How many workers; without it three. */
  readonly workers?: number;
  /** Has each process run on a host of its own. */
  readonly isOnHosts?: boolean;
  /** Settings beside those of the parts. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Has each worker's connections to PostgreSQL and S3 watched, so that it can be killed at a statement of it. */
  readonly watchesWorkers?: boolean;
  readonly isOnSmallDisk?: boolean;
  /** Has the first worker read its clock from a file. */
  readonly fakesClock?: boolean;
}

/** One fault that repeats while imports run. */
export interface Fault extends StackSettings {
  readonly needs?: readonly Need[];
  /** How often it has to come at least, however few imports are asked for. */
  readonly minTimes?: number;
  /** Between the end of one stroke and the next. */
  readonly pauseMs: number;
  /** Makes the fault and takes it back; resolves when the part is back. */
  strike(stack: FaultStack, round: number): Promise<void>;
}
