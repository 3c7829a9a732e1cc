import { FairSlots, type FreeSlots, type LimitUse } from '../../shared/limits/fair-slots.ts';

/** Each stream uses a connection of the structure reader, which has as many. */
const MAX_STREAMS = 8;
/** A vendor with many keys leaves half of them to others. */
const MAX_PER_ORGANIZATION = 4;
const MAX_PER_CALLER = 2;

/** Who reads a stream: an API key of an organization, or the organization itself. */
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

  /** How many streams are sent. */
  taken(): number {
    return this.#byOrganization.taken();
  }

  /** How many streams are sent, of how many. */
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
