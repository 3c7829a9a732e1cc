import { FairSlots } from '../shared/limits/fair-slots.ts';
import { OutboundFetch } from '../shared/outbound/outbound-fetch.ts';
import { openWebhookWorker } from '../shared/queue/import-worker.ts';
import type { OpenWorker } from '../shared/queue/import-worker.ts';
import { deliverWebhook } from './deliver-webhook.ts';
import { watchWebhooks } from './watch-webhooks.ts';
import type { WorkerContext } from './worker-context.ts';

const NO_AREA = '00000000-0000-0000-0000-000000000000';

/** Starts to find webhooks that have something to deliver, and to deliver it. Changes have positions after `sequenced`. */
export async function startWebhooks(
  shared: WorkerContext,
  sequenced: () => Promise<void>,
): Promise<Pick<OpenWorker, 'close'>> {
  const { queueConnection, config, log } = shared;
  const { maxCalls, maxCallsPerOrganization: maxPerOwner } = config.webhooks;
  // A catalogue without a data area has no module that may read it.
  const areaId = (key: string) => shared.catalogue.entry('dataAreas', key)?.id ?? NO_AREA;
  const context = {
    ...shared,
    outbound: new OutboundFetch(config.outbound),
    changeAreas: { structuresArea: areaId('FarmOrganization'), alertsArea: areaId('FarmOrganizationAlerts') },
    webhookSlots: new FairSlots({ resource: 'webhook calls', max: maxCalls, maxPerOwner }),
  };
  const stop = new AbortController();
  const deliver = (webhookId: string) => deliverWebhook(context, webhookId, stop.signal);
  // Each webhook that is called has a slot at least.
  const worker = openWebhookWorker(queueConnection, maxCalls, deliver, log);
  await worker.ready();
  const stopWatching = watchWebhooks(context, sequenced);
  return {
    async close(maxWaitMs) {
      stop.abort();
      await stopWatching();
      return worker.close(maxWaitMs);
    },
  };
}
