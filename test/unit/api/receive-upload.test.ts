import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { receiveUpload } from '../../../api/imports/receive-upload.ts';
import { openStorage } from '../../../shared/storage/open-storage.ts';

const WHOLE_BODY =
  '--x\r\nContent-Disposition: form-data; name="file"; filename="p.zip"\r\n\r\nPK\r\n--x--\r\n';

test.each([
  ['half', WHOLE_BODY.slice(0, 20)],
  ['all', WHOLE_BODY],
])('an upload whose client hung up before it was read ends, with %s of it received', async (_part, body) => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'receive-upload-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const storage = await openStorage({ storage: 'directory', s3: null, dataDir });
  const app = express();
  const received = new Promise((resolve) => {
    app.post('/', (request, response) => {
      // Bytes that arrived with the headers are parsed after the request event.
      setImmediate(() => client.destroy());
      request.once('close', () =>
        resolve(
          receiveUpload(request, response, { storage, deploymentId: randomUUID() }, 1_000).catch(
            (error: unknown) => error,
          ),
        ),
      );
    });
  });
  const server = app.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const headers = {
    'Content-Type': 'multipart/form-data; boundary=x',
    'Content-Length': WHOLE_BODY.length,
  };
  const client = http.request({ host: '127.0.0.1', port, method: 'POST', headers });
  client.on('error', () => undefined).write(body);
  expect(await received).toMatchObject({ code: 'request-invalid' });
});
