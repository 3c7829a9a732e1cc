import { LRUCache } from 'lru-cache';
import type { StructureReader } from '../../shared/db/structures/read-structures.ts';
import { type Grant, type GrantFilter, listGrantsOfMany } from '../../shared/db/access/module-grants.ts';
import type { Database } from '../../shared/db/database.ts';
import { FairSlots, type FreeSlots, type LimitUse } from '../../shared/limits/fair-slots.ts';
import { BatchedReads, SharedReads } from '../http/limits/shared-reads.ts';
import type { FoundStructures } from './structures-answer.ts';

/** Each stream uses a connection of the structure reader, which has as many. */
const MAX_STREAMS = 8;
/** A vendor with many keys leaves half of them to others. */
const MAX_PER_ORGANIZATION = 4;
const MAX_PER_CALLER = 2;

/** The reader of farm structures, and its slots. */
export interface Structures {
  readonly reader: StructureReader;
  /** Shares what modules' back ends read at the same time. */
  readonly reads: SharedReads<FoundStructures>;
  /** Reads who grants what to modules whose back ends ask at the same time. */
  readonly grants: BatchedReads<GrantFilter, readonly Grant[] | 'many' | null>;
  /** Short answers, by their ETags: one that was read is sent until its structures change. */
  readonly bodies: LRUCache<string, Buffer>;
  readonly streamSlots: StreamSlots;
}

const BODIES = { maxSize: 32 * 1024 * 1024, sizeCalculation: (body: Buffer) => body.length + 1, ttl: 60_000 };

export function openStructures(database: Database, reader: StructureReader): Structures {
  return {
    reader,
    reads: new SharedReads(),
    grants: new BatchedReads((filters) => listGrantsOfMany(database, filters)),
    bodies: new LRUCache(BODIES),
    streamSlots: new StreamSlots(),
  };
}

/** The reader of a stream: an API key of an organization, or the organization itself. */
export interface Streamer {
  readonly id: string;
  readonly organizationId: string;
}

/** The slots of streams with structures: few for each key, and few for all keys of an organization. */
export class StreamSlots {
  readonly #byCaller = new FairSlots({
    resource: 'long answers',
    ownerKind: 'caller',
    max: MAX_STREAMS,
    maxPerOwner: MAX_PER_CALLER,
  });
  readonly #byOrganization = new FairSlots({
    resource: 'long answers',
    max: MAX_STREAMS,
    maxPerOwner: MAX_PER_ORGANIZATION,
  });

  /** The number of streams being sent. */
  taken(): number {
    return this.#byOrganization.taken();
  }

  /** The number of streams being sent, and the limit. */
  use(): LimitUse {
    return this.#byOrganization.use();
  }

  /** Takes a slot. @throws NoSlotError if there is none. */
  take({ id, organizationId }: Streamer): FreeSlots {
    const freeOfCaller = this.#byCaller.takeNow(id);
    try {
      const freeOfOrganization = this.#byOrganization.takeNow(organizationId);
      return () => {
        freeOfOrganization();
        freeOfCaller();
      };
    } catch (error) {
      freeOfCaller();
      throw error;
    }
  }
}
