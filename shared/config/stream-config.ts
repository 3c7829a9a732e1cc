import type { SettingsReader } from './settings-reader.ts';

/** What bounds long answers and event streams. */
export interface StreamConfig {
  /** A long answer whose client reads less than this is ended: it holds a slot that others wait for. */
  readonly minAnswerBytesPerSecond: number;
  /** The seconds over which that is measured: a client may pause for a while, and it need not be steady. */
  readonly answerPaceSeconds: number;
  /** The most for which one state of the structures is held: while it is, the database can vacuum nothing newer. */
  readonly snapshotSeconds: number;
  /** Each event stream takes a socket, and its import a place in the query that runs every second. */
  readonly maxEventStreams: number;
  readonly maxEventStreamsPerOrganization: number;
  /** After this an event stream ends, and its client reconnects: so every stream is authorized again. */
  readonly maxEventStreamSeconds: number;
}

/** Reads the settings of long answers and event streams. */
export function readStreams(read: SettingsReader): StreamConfig {
  return {
    minAnswerBytesPerSecond: read.integer('MIN_ANSWER_BYTES_PER_SECOND', 16 * 1024),
    answerPaceSeconds: read.integer('ANSWER_PACE_SECONDS', 60, { max: 3_600 }),
    snapshotSeconds: read.integer('STRUCTURES_SNAPSHOT_SECONDS', 5, { max: 60 }),
    maxEventStreams: read.integer('MAX_EVENT_STREAMS', 1_000),
    maxEventStreamsPerOrganization: read.integer('MAX_EVENT_STREAMS_PER_ORGANIZATION', 100),
    maxEventStreamSeconds: read.integer('MAX_EVENT_STREAM_SECONDS', 300, { max: 86_400 }),
  };
}
