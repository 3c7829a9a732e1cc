// A back end that verifies each call with the library as it is, and answers a new rule with an alert.
import { createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

const {
  API_URL,
  API_TOKEN,
  API_KEY = '',
  VENDOR_ID,
  FARMER_ID,
  MODULE_ID,
  FARM_ID,
  CLIENT = '',
} = process.env;
const bearer = { Authorization: `Bearer ${API_TOKEN}` };

async function call(method: string, path: string, body: unknown, credentials: Record<string, string>) {
  const headers = { 'Content-Type': 'application/json', ...credentials };
  const answer = await fetch(`${API_URL}/api/v8.0${path}`, { method, headers, body: JSON.stringify(body) });
  const answered = await answer.text();
  if (!answer.ok) throw new Error(answered);
  return answered === '' ? null : JSON.parse(answered);
}

const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
if (typeof address !== 'object' || address === null) throw new Error('not listening');

const url = `http://127.0.0.1:${address.port}/hook`;
const settings = { url, types: ['rule.created'] };
const { id, secret, publicKey } = await call('POST', `/${VENDOR_ID}/webhooks/${MODULE_ID}`, settings, bearer);
const called = once(server, 'request');
const values = { operator: 'lt', value: 20 };
const rule = { moduleId: MODULE_ID, criteria: 'soilMoisture', values };
const made = await call('POST', `/${FARMER_ID}/alertRules`, rule, bearer);
const [request, response] = await called;
const { headers } = request as IncomingMessage;
const body = await text(request);
response.writeHead(204).end();

const event = new Webhook(secret).verify(body, headers as Record<string, string>) as {
  type: string;
  data: { ruleId: string };
};
if (event.type !== 'rule.created' || event.data.ruleId !== made.id) throw new Error(body);
for (const [wrongBody, wrongSecret] of [
  [`${body} `, secret],
  [body, `whsec_${'A'.repeat(43)}=`],
]) {
  let isAccepted = true;
  try {
    new Webhook(wrongSecret).verify(wrongBody, headers as Record<string, string>);
  } catch {
    isAccepted = false;
  }
  if (isAccepted) throw new Error('a forged call is accepted');
}

// The library knows no public keys.
const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url');
const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
const signatures = String(headers['webhook-signature']).split(' ');
const ofKey = signatures.filter((each) => each.startsWith('v1a,')).map((each) => each.slice('v1a,'.length));
if (!ofKey.some((each) => verify(null, signed, key, Buffer.from(each, 'base64'))))
  throw new Error('the signature of the public key is not valid');

const alert = {
  ruleId: event.data.ruleId,
  target: { type: 'farm', id: FARM_ID },
  status: 'firing',
  severity: 'warning',
  startsAt: new Date().toISOString(),
  title: 'Dry soil',
  message: 'Irrigate within two days.',
  labels: { client: CLIENT },
};
const apiKey = { 'X-Api-Key': API_KEY };
const raised = await call('POST', `/Alerts/AlertsByModuleId/${MODULE_ID}`, { alerts: [alert] }, apiKey);
await call('DELETE', `/${VENDOR_ID}/webhooks/${MODULE_ID}/${id}`, undefined, bearer);
server.close();
console.log(raised.results[0].outcome);
