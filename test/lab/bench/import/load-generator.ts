// Sends imports from a process of its own, so that the client's cost is not counted with the server's.
import { Pool } from 'undici';
import { largePackage, smallPackage } from './packages.ts';
import { UPLOAD_TYPE, uploadBody, type ImportTarget } from './service.ts';
import { measureEach } from '../measure.ts';

/** The packages of a load: many small ones, or one of this size. */
export type LoadPackages = { readonly small: number } | { readonly largeBytes: number };

/** The parent's orders; the answer to `prepare` is empty, the answer to `run` is a `Measurement`. */
export type LoadOrder =
  { readonly prepare: LoadPackages } | { readonly run: ImportTarget; readonly clients: number };

let forms: readonly Buffer[] = [];

function makeForms(packages: LoadPackages): readonly Buffer[] {
  if ('largeBytes' in packages) return [uploadBody(largePackage(packages.largeBytes))];
  return Array.from({ length: packages.small }, () => uploadBody(smallPackage()));
}

async function send({ url, token }: ImportTarget, clients: number) {
  const { origin, pathname } = new URL(url);
  // An import of a gigabyte takes long to answer.
  const pool = new Pool(origin, { connections: clients, headersTimeout: 0, bodyTimeout: 0 });
  const headers = {
    'Content-Type': UPLOAD_TYPE,
    ...(token !== null && { Authorization: `Bearer ${token}` }),
  };
  const measured = await measureEach(forms, clients, async (body) => {
    const answer = await pool.request({ path: pathname, method: 'POST', headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`the import answered ${answer.statusCode}: ${text}`);
  });
  forms = [];
  await pool.close();
  return measured;
}

process.on('message', (order: LoadOrder) => {
  if ('prepare' in order) {
    forms = makeForms(order.prepare);
    process.send?.({});
  } else {
    void send(order.run, order.clients).then((measured) => process.send?.(measured));
  }
});
process.on('disconnect', () => process.exit(1));
process.send?.({});
