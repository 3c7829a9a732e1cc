import type { ChangeSequencer } from '../../shared/db/changes/change-sequencer.ts';
import { NotificationListener } from '../../shared/db/notification-listener.ts';
import { CHANGES_CHANNEL } from '../../shared/db/notifications.ts';
import { FairSlots } from '../../shared/limits/fair-slots.ts';
import { OutboundFetch } from '../../shared/outbound/outbound-fetch.ts';
import { WebhookDeliveries } from './webhook-deliveries.ts';
import type { WorkerContext } from '../worker-context.ts';

const SEQUENCE_MS = 1_000;
const NO_AREA = '00000000-0000-0000-0000-000000000000';

/** Starts to give positions to changes, and to deliver them to webhooks. Returns the function that stops it. */
export async function startWebhooks(
  shared: WorkerContext,
  sequencer: ChangeSequencer,
): Promise<(maxWaitMs: number) => Promise<boolean>> {
  const { queueConnection, config, log } = shared;
  const { maxCalls, maxCallsPerOrganization: maxPerOwner } = config.webhooks;
  // A catalogue without a data area has no module that may read it.
  const areaId = (key: string) => shared.catalogue.entry('dataAreas', key)?.id ?? NO_AREA;
  const deliveries = new WebhookDeliveries({
    ...shared,
    outbound: new OutboundFetch(config.outbound),
    changeAreas: { structuresArea: areaId('FarmOrganization'), alertsArea: areaId('FarmOrganizationAlerts') },
    webhookSlots: new FairSlots({ resource: 'webhook calls', max: maxCalls, maxPerOwner }),
  });
  const url = config.database.listenUrl ?? queueConnection.databaseUrl;
  const listener = new NotificationListener(url, log, { [CHANGES_CHANNEL.name]: () => deliveries.wake() });
  await listener.start();
  // A process may die between the commit of a change and the sequencing of it.
  const timer = setInterval(() => void sequencer.sequence(), SEQUENCE_MS);
  deliveries.start();
  return async (maxWaitMs) => {
    clearInterval(timer);
    await listener.close();
    return deliveries.close(maxWaitMs);
  };
}
