import { readFile } from 'node:fs/promises';
import { expect, inject, test } from 'vitest';
import { startUpload } from '../../support/start-upload.ts';
import { compileService, startServiceProcess, type ServiceProcess } from '../../support/service-process.ts';
import { startTestApp } from '../../support/test-app.ts';

const MIB = 1024 * 1024;
const UPLOADS = 100;
/** In total more than the process may use. */
const SENT_BYTES = 12 * MIB;

/** The memory of one upload: one part of 5 MiB for S3, and always the buffers of its connections. */
const BYTES_PER_UPLOAD = inject('s3Endpoint') === null ? 3 * MIB : 8 * MIB;
/** The memory of the process before, and garbage that is not collected yet. */
const FIXED_BYTES = 256 * MIB;

/** The peak memory of a process, in bytes. */
async function peakBytes({ pid }: ServiceProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

test.runIf(process.platform === 'linux')(
  'a hundred concurrent uploads use a bounded part of their size',
  { timeout: 300_000 },
  async () => {
    compileService();
    const app = await startTestApp({ worker: false });
    const vendor = await app.organization();
    const api = await startServiceProcess('api', {
      ...app.environment,
      ORGANIZATION_SHARE_PERCENT: '100',
    });
    const url = `http://127.0.0.1:${api.ready.listening ?? 0}/api/v8.0/${vendor.id}/ImportModuleAsync`;
    const requests = await Promise.all(
      Array.from({ length: UPLOADS }, () => startUpload(url, vendor.admin, SENT_BYTES)),
    );
    const peak = await peakBytes(api);
    expect(peak, `${Math.round(peak / MIB)} MiB`).toBeLessThan(FIXED_BYTES + UPLOADS * BYTES_PER_UPLOAD);
    for (const request of requests) request.destroy();
    await api.stop();
    await app.stop();
  },
);
