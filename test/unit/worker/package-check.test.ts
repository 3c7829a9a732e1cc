import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../shared/config/config.ts';
import { createLog } from '../../../shared/telemetry/log.ts';
import { PackageCheck } from '../../../worker/import/package-check.ts';
import { checkEntries, examplePackage } from '../../support/package-builder.ts';
import { startReceiver, type AnswerCall } from '../../support/webhook-receiver.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const RUN = {
  ...{ id: randomUUID(), organizationId: randomUUID(), validateOnly: false },
  ...{ sha256: Buffer.alloc(32), sizeBytes: 10 },
};
const found = { code: 'operator-licence', detail: 'No licence.', severity: 'error' };
const text = (answer: unknown) => JSON.stringify(answer);
const problems = (...members: object[]) =>
  text({ problems: members.map((member) => ({ ...found, ...member })) });

async function checked(mode: string, answer: AnswerCall, signal = new AbortController().signal) {
  const { url } = await startReceiver(answer);
  const check = new PackageCheck({ url, secret: SECRET, isRequired: mode === 'required' });
  const report = await checkEntries(examplePackage());
  const log = createLog('worker', 'silent');
  return { check, report, run: () => check.check(report, RUN, { log, signal }) };
}

const answering =
  (body: string | Buffer, status = 200): AnswerCall =>
  (_call, response) =>
    response.writeHead(status).end(body);

const UNUSABLE: Readonly<Record<string, AnswerCall>> = {
  'another status': answering(problems(), 500),
  'a redirect': (_call, response) => response.writeHead(307, { Location: 'http://127.0.0.1:1/' }).end(),
  'no JSON': answering('<html>'),
  'bytes that are no UTF-8': answering(Buffer.from([0x22, 0xff, 0x22])),
  'no list': answering('{}'),
  'another member': answering(text({ problems: [], ok: true })),
  'another member of a problem': answering(problems({ line: 1 })),
  'a code of the service': answering(problems({ code: 'registry-scope-taken' })),
  'a code with other characters': answering(problems({ code: 'operator-<b>' })),
  'an unknown severity': answering(problems({ severity: 'info' })),
  'no text': answering(problems({ detail: '' })),
  'a text that is too long': answering(problems({ detail: 'x'.repeat(1_001) })),
  'a text that the database cannot store': answering(problems({ detail: 'a\0b' })),
  'half a surrogate pair': answering(`{"problems":[${text(found).replace('licence.', String.raw`\ud800`)}]}`),
  'a pointer that is none': answering(problems({ pointer: 'scope' })),
  'too many problems': answering(problems(...Array.from({ length: 101 }, () => ({})))),
  'too many bytes': answering(' '.repeat(256 * 1024 + 1)),
  'a connection that is closed': (_call, response) => response.destroy(),
};

test.each(Object.entries(UNUSABLE))(
  'an answer with %s is none: a required check fails, and an optional one is a warning',
  async (_, answer) => {
    const required = await checked('required', answer);
    await expect(required.run()).rejects.toThrow(/^PACKAGE_CHECK: /);
    const optional = await checked('optional', answer);
    const { content, problems: listed } = await optional.run();
    expect(listed.map(({ code }) => code)).toEqual(['check-unavailable']);
    expect(content).toEqual(optional.report.content);
  },
);

test('errors refuse the package, and warnings do not', async () => {
  const entry = 'PackageArtifact/build/remoteEntry.js';
  const refused = await checked('required', answering(problems({ entry, pointer: '/a~1b' })));
  expect(await refused.run()).toMatchObject({
    content: null,
    problems: [{ ...found, entry, pointer: '/a~1b' }],
  });
  const warned = await checked('required', answering(problems({ severity: 'warning' })));
  const report = await warned.run();
  expect(report.problems).toEqual([{ ...found, severity: 'warning' }]);
  expect(report.content).toEqual(warned.report.content);
});

test.each(['the end of the attempt', 'the stop of the worker'])(
  '%s ends a call that runs, also where the check is optional',
  async (cause) => {
    const attempt = new AbortController();
    const calls = new EventEmitter();
    const { check, run } = await checked('optional', () => calls.emit('call'), attempt.signal);
    const ended = expect(run()).rejects.toThrow('the call was ended early');
    await once(calls, 'call');
    if (cause === 'the end of the attempt') attempt.abort();
    else check.stop();
    await ended;
  },
);

const settings = (PACKAGE_CHECK: string) => loadConfig({ PACKAGE_CHECK }).packageCheck;

test('the setting of the check has the mode, an address that is https or of this machine, and a secret', () => {
  const url = 'https://check.internal/packages';
  expect(settings(`required,${url},${SECRET}`)).toEqual({ url, secret: SECRET, isRequired: true });
  expect(settings(`optional, http://127.0.0.1:9/, ${SECRET}`)).toMatchObject({ isRequired: false });
  const plain = `required,http://check.internal/,${SECRET}`;
  expect(() => settings(plain)).toThrow('PACKAGE_CHECK must start with https://');
});

test.each([
  `https://check.internal/,${SECRET}`,
  'required,https://check.internal/',
  'required,https://check.internal/,whsec_Z2VoZWlt',
  `required,ftp://check.internal/,${SECRET}`,
  `required,https://name:geheim@check.internal/,${SECRET}`,
  `required,https://check.internal/,${SECRET},geheim`,
])('a setting of the check in another form is refused, and the issue does not repeat it: %s', (setting) => {
  expect(() => settings(setting)).toThrow(
    /PACKAGE_CHECK must be required or optional(?!.*(?:geheim|Z2VoZWlt|BwcH))/,
  );
});
