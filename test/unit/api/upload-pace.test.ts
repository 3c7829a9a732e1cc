import { expect, test } from 'vitest';
import { leastUploadPace } from '../../../api/imports/receive-upload.ts';
import { FairSlots } from '../../../shared/limits/fair-slots.ts';

const SLOW = 16 * 1024;
const MAX = 128;

/** The slots of uploads with the standard settings, some taken by each of some organizations. */
function slotsTaken(byOrganization: Readonly<Record<string, number>>): FairSlots {
  const slots = new FairSlots({ resource: 'uploads', max: MAX, maxPerOwner: 64 });
  for (const [owner, taken] of Object.entries(byOrganization)) slots.takeNow(owner, taken);
  return slots;
}

test('an organization may hold its whole part with slow uploads while slots are not short', () =>
  expect(leastUploadPace(slotsTaken({ a: 64, b: 32 }), MAX, 'a')).toBe(SLOW));

test('while slots are short, an organization with more than an eighth of them must send sixteen times as fast', () => {
  const slots = slotsTaken({ a: 64, b: 17, c: 16 });
  expect(['a', 'b', 'c'].map((owner) => leastUploadPace(slots, MAX, owner) / SLOW)).toEqual([16, 16, 1]);
});

test('two organizations with slow uploads keep no slot from others: a quarter of the slots becomes free', () => {
  const slots = slotsTaken({});
  const open = ['a', 'b'].flatMap((owner) =>
    Array.from({ length: 64 }, () => ({ owner, free: slots.takeNow(owner) })),
  );
  // Each upload sends 16 KiB/s and is ended as soon as that is too slow.
  for (const { owner, free } of open) if (leastUploadPace(slots, MAX, owner) > SLOW) free();
  expect(slots.taken()).toBe((MAX * 3) / 4);
});
