import { once } from 'node:events';
import net from 'node:net';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadConfig } from '../../../shared/config/config.ts';
import { portOf } from '../../../shared/local/free-port.ts';
import { ANSWER_MS } from '../../../shared/storage/s3-client.ts';
import { S3Storage } from '../../../shared/storage/s3-storage.ts';

test('an upload to a store that accepts connections and never answers fails at the deadline, with what to do', async () => {
  const silence = net.createServer((socket) => socket.on('error', () => undefined).resume());
  silence.listen(0, '127.0.0.1');
  await once(silence, 'listening');
  const { s3 } = loadConfig({
    S3_BUCKET: 'b',
    S3_ENDPOINT: `http://127.0.0.1:${portOf(silence)}`,
    S3_ACCESS_KEY_ID: 'a',
    S3_SECRET_ACCESS_KEY: 's',
  });
  if (s3 === null) throw new Error('no bucket');
  const storage = new S3Storage(s3);
  onTestFinished(() => {
    storage.close();
    silence.close();
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const failed = storage.put('k', Readable.from([Buffer.from('package')])).catch((error: unknown) => error);
  await once(silence, 'connection');
  await vi.advanceTimersByTimeAsync(ANSWER_MS);
  expect(await failed).toMatchObject({
    problem: `http://127.0.0.1:${portOf(silence)} does not answer.`,
    advice: expect.stringContaining('S3_ENDPOINT') as string,
  });
});
