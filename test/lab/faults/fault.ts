import type { UploadStory } from './clients.ts';
import type { FaultStack } from './stack/fault-stack.ts';

/** The requirements of a fault on the machine. */
export type Need =
  | 'redis and S3'
  | 'mount namespace'
  | 'network namespaces'
  | 'faketime'
  | 'PostgreSQL tools'
  | 'C compiler'
  | 'previous version';

/** The PostgreSQL that a fault runs on, where it is not the one that all faults share. */
export type OwnPostgres = 'with a standby' | 'with a synchronous standby' | 'with slow syncs';

/** How the service is run. */
export interface StackSettings {
  readonly name: string;
  /** Queue and storage that it runs on. */
  readonly parts: 'PostgreSQL, directory' | 'Redis, S3';
  /** The number of workers; three by default. */
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
  readonly postgres?: OwnPostgres;
  /** Runs Redis with a replica that can take its address over. */
  readonly replicatesRedis?: boolean;
  /** The processes that run the previous version; of the workers, all but the last. */
  readonly previous?: 'apis' | 'workers';
}

/** The number of concurrent clients, and how they wait. */
export interface ClientSettings {
  readonly count: number;
  /** Between two tries, and between two reads of an import. */
  readonly pollMs: number;
  /** After this a client stops waiting; it is longer than any fault lasts. */
  readonly patienceMs: number;
}

/** The imports that run while a fault repeats. */
export interface Load {
  /** The number of requested imports. */
  readonly imports: number;
  /** For the uploads that have ended for their clients. */
  readonly stories: readonly UploadStory[];
  /** The problems that a fault finds while it lasts. */
  readonly issues: string[];
}

/** One fault that repeats while imports run. */
export interface Fault extends StackSettings {
  readonly needs?: readonly Need[];
  /** How often it must occur at least, however few imports were requested. */
  readonly minTimes?: number;
  /** The multiple of the requested imports that it needs; one by default. */
  readonly importsFactor?: number;
  /** Where they are not the usual ones, its clients do not wait for the end of an import within a request either. */
  readonly clients?: ClientSettings;
  /** Where it is more than usual. */
  readonly maxRecoverySeconds?: number;
  /** Between the end of one occurrence and the start of the next. */
  readonly pauseMs: number;
  /** Causes the fault and ends it; resolves when the part is back. */
  inject(stack: FaultStack, round: number, load: Load): Promise<void>;
}

/** A fault on either queue, under names of their own. */
export function onBothQueues(fault: Omit<Fault, 'parts'>): readonly Fault[] {
  const needs: readonly Need[] = ['redis and S3', ...(fault.needs ?? [])];
  return [
    { ...fault, parts: 'PostgreSQL, directory' },
    { ...fault, name: `${fault.name}, with Redis`, parts: 'Redis, S3', needs },
  ];
}
