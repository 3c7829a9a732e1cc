// The minimum that sends a file: Express with a ready gzip body. It does not check whether the caller may read it.
import type { AddressInfo } from 'node:net';
import express from 'express';

const body = Buffer.from(process.env['GZIP_BASE64'] ?? '', 'base64');

const app = express();
app.get('/file', (_request, response) => {
  response.set({ 'Content-Type': 'text/javascript', 'Content-Encoding': 'gzip', ETag: '"ready"' }).send(body);
});

const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ listening: (server.address() as AddressInfo).port });
});
process.on('disconnect', () => process.exit(1));
