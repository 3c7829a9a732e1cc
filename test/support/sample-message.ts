import type { ClaimedMessage } from '../../shared/db/notifications/alert-messages.ts';

/** A message about an alert of a field, with these members. */
export const sampleMessage = (
  members: Partial<ClaimedMessage>,
  title = 'Frost',
  targetName = 'Long acre',
): ClaimedMessage => ({
  ...{ recipientId: '', claimId: '', address: '', pushKeys: null, organizationId: '' },
  ...{ language: 'en', timeZone: 'Europe/Berlin', organizationName: 'Meadow Farm', alertCount: 1 },
  ...{ severities: ['critical'], positions: { info: '', warning: '', critical: '' } },
  ...{ isImmediate: true, isDigest: false },
  alerts: [
    {
      ...{ id: '', severity: 'critical', status: 'firing', title, message: 'Below 2 °C.', targetName },
      startsAt: new Date('2027-01-10T22:30:00Z'),
    },
  ],
  ...members,
});
