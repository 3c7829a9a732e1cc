import { createPublicKey, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { makeSigningKeys, openSigner, signWebhook } from '../../../shared/webhooks/sign-webhook.ts';

const MESSAGE = {
  id: 'd9428888-122b-11e1-b85c-61cd3cbb3210',
  body: '{"type":"rule.created","data":{"ü":1}}',
};

/** Whether one of the signatures is that of the public key, checked as the specification describes it. */
function isSignedBy(publicKey: string, headers: Readonly<Record<string, string>>, body: string): boolean {
  const x = Buffer.from(publicKey.replace(/^whpk_/, ''), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
  return (headers['webhook-signature'] ?? '')
    .split(' ')
    .filter((each) => each.startsWith('v1a,'))
    .some((each) => verify(null, signed, key, Buffer.from(each.slice(4), 'base64')));
}

test('the example of the specification has its signature', () => {
  const headers = signWebhook(
    { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' },
    [openSigner({ secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' })],
    new Date(1_614_265_330_000),
  );
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('keys have the forms and lengths of the specification', () => {
  const { keys, publicKey } = makeSigningKeys();
  expect(keys.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(publicKey).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
  expect(makeSigningKeys().keys).not.toEqual(keys);
});

test('the library of npm accepts the secret, and a public key its own signature', () => {
  const { keys, publicKey } = makeSigningKeys();
  const headers = signWebhook(MESSAGE, [openSigner(keys)], new Date());
  expect(new Webhook(keys.secret).verify(MESSAGE.body, headers)).toEqual(JSON.parse(MESSAGE.body));
  expect(isSignedBy(publicKey, headers, MESSAGE.body)).toBe(true);
});

test('during a rotation the old keys are accepted as well as the new ones', () => {
  const before = makeSigningKeys();
  const after = makeSigningKeys();
  const headers = signWebhook(MESSAGE, [openSigner(after.keys), openSigner(before.keys)], new Date());
  for (const { keys, publicKey } of [before, after]) {
    expect(new Webhook(keys.secret).verify(MESSAGE.body, headers)).toEqual(JSON.parse(MESSAGE.body));
    expect(isSignedBy(publicKey, headers, MESSAGE.body)).toBe(true);
  }
});

test.each(['body', 'id'] as const)('another %s has another signature', (member) => {
  const { keys, publicKey } = makeSigningKeys();
  const headers = signWebhook(MESSAGE, [openSigner(keys)], new Date());
  const changed = { ...MESSAGE, [member]: `${MESSAGE[member]} ` };
  const sent = { ...headers, 'webhook-id': changed.id };
  expect(() => new Webhook(keys.secret).verify(changed.body, sent)).toThrow('No matching signature found');
  expect(isSignedBy(publicKey, sent, changed.body)).toBe(false);
});
