import type { FairSlots } from '../../shared/limits/fair-slots.ts';
import { LEAST_BYTES_PER_SECOND } from '../http/watch-pace.ts';

/** With this pace the largest package of 1 GiB takes little more than an hour instead of eighteen. */
const SLOWEST_WHILE_SHORT = 256 * 1024;

/** Slots are short when less than a quarter of them is free. */
const SHORT_FROM = 3 / 4;
/** The part of the slots that an organization may hold with slow uploads while slots are short. */
const SLOW_PART = 1 / 8;

/**
 * The least bytes per second of an organization's uploads. Two organizations could otherwise hold every slot for
 * eighteen hours with 2 MiB/s. While slots are short, an organization that holds more than an eighth of them must send
 * faster: to hold all of them with slow uploads then takes eight organizations.
 */
export function leastUploadPace(
  slots: Pick<FairSlots, 'taken' | 'takenBy'>,
  maxUploads: number,
  organizationId: string,
): number {
  const isShort = slots.taken() > maxUploads * SHORT_FROM;
  return isShort && slots.takenBy(organizationId) > maxUploads * SLOW_PART
    ? SLOWEST_WHILE_SHORT
    : LEAST_BYTES_PER_SECOND;
}
