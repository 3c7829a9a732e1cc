// The usual way to serve a reader with a key: Express, a key check from a cache, and one SELECT of a ready text for
// each request. It has neither limits nor metrics, and checks no grants of a farmer.
import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';

const CACHE_MS = 60_000;
const POOL_SIZE = 10;

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: POOL_SIZE });
const trusted = new Map<string, number>();

async function isTrusted(key: string): Promise<boolean> {
  const sha256 = createHash('sha256').update(key).digest('hex');
  if ((trusted.get(sha256) ?? 0) > Date.now()) return true;
  const { rowCount } = await pool.query('select from rival_keys where sha256 = $1', [sha256]);
  if (rowCount === 0) return false;
  trusted.set(sha256, Date.now() + CACHE_MS);
  return true;
}

const app = express();
app.get('/answers/:id', async (request, response) => {
  if (!(await isTrusted(request.get('x-api-key') ?? ''))) {
    response.status(401).json({ error: 'unauthorized' });
    return;
  }
  const { rows } = await pool.query<{ body: string }>({
    name: 'answer',
    text: 'select body from rival_answers where id = $1',
    values: [request.params.id],
  });
  response.type('json').send(rows[0]?.body);
});

const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ listening: (server.address() as AddressInfo).port });
});
