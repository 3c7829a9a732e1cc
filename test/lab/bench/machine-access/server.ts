// The API in a process of its own, twice on the same parts: with the key check, timed, and without it.
import { createHistogram } from 'node:perf_hooks';
import { openApiContext } from '../../../../api/open-context.ts';
import { serve } from '../../../../api/http/server/serve.ts';
import type { ApiContext } from '../../../../api/context.ts';
import { loadProcessConfig } from '../../../../shared/config/config.ts';
import type { ApiKeyGrant } from '../../../../shared/db/access/api-keys.ts';
import { changedConfig } from '../../../support/changed-config.ts';

/** The server's answer to `report`. */
export interface ServerReport {
  readonly rssBytes: number;
  /** The highest since the last report. */
  readonly peakRssBytes: number;
  /** For the key check alone, since the last report. */
  readonly checkP99Ms: number;
}

const SAMPLE_MS = 20;

const config = changedConfig(loadProcessConfig(), { quotas: { maxOpenAlertsPerInstallation: 100_000 } });
const api = await openApiContext(config);
const checkTimes = createHistogram();
let lastGrant: ApiKeyGrant | null = null;

const timed: ApiContext['apiKeys'] = {
  async authenticate(request) {
    const start = process.hrtime.bigint();
    lastGrant = await api.apiKeys.authenticate(request);
    checkTimes.record(Math.max(1, Number(process.hrtime.bigint() - start)));
    return lastGrant;
  },
  flush: () => api.apiKeys.flush(),
};

/** Authorizes every request as the last key that was checked. */
const open: ApiContext['apiKeys'] = {
  authenticate() {
    if (lastGrant === null) throw new Error('no key was checked yet');
    return Promise.resolve(lastGrant);
  },
  flush: () => Promise.resolve(),
};

const checked = await serve({ ...api, apiKeys: timed });
const unchecked = await serve({ ...api, apiKeys: open });

let peakRssBytes = 0;
setInterval(() => {
  peakRssBytes = Math.max(peakRssBytes, process.memoryUsage.rss());
}, SAMPLE_MS);

process.on('message', () => {
  const report: ServerReport = {
    rssBytes: process.memoryUsage.rss(),
    peakRssBytes,
    checkP99Ms: checkTimes.percentile(99) / 1e6,
  };
  checkTimes.reset();
  peakRssBytes = 0;
  process.send?.(report);
});
process.send?.({ checkedPort: checked.port, uncheckedPort: unchecked.port });
