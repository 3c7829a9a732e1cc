import { setTimeout } from 'node:timers/promises';
import type { ChangeSequencer } from '../shared/db/changes/change-sequencer.ts';
import { FairSlots } from '../shared/limits/fair-slots.ts';
import { OutboundFetch } from '../shared/outbound/outbound-fetch.ts';
import { openWebhookWorker, type OpenWorker } from '../shared/queue/import-worker.ts';
import { watchWebhooks } from './watch-webhooks.ts';
import { WebhookDeliveries } from './webhook-deliveries.ts';
import type { WorkerContext } from './worker-context.ts';

/** They wait for the same pass. */
const JOBS_AT_ONCE = 4;
const NO_AREA = '00000000-0000-0000-0000-000000000000';

/** Starts to give positions to changes, to find webhooks that have something to deliver, and to deliver it. */
export async function startWebhooks(
  shared: WorkerContext,
  sequencer: ChangeSequencer,
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
  const deliveries = new WebhookDeliveries(context, stop.signal);
  const worker = openWebhookWorker(queueConnection, JOBS_AT_ONCE, (ids) => deliveries.deliver(ids), log);
  await worker.ready();
  const stopWatching = watchWebhooks(context, sequencer);
  worker.start();
  return {
    async close(maxWaitMs) {
      stop.abort();
      await stopWatching();
      const ended = deliveries.allEnded().then(() => true);
      const areClosed = await Promise.all([
        worker.close(maxWaitMs),
        Promise.race([ended, setTimeout(maxWaitMs, false, { ref: false })]),
      ]);
      return areClosed.every((isClosed) => isClosed);
    },
  };
}
