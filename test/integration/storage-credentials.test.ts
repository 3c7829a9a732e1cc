import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../shared/config/config.ts';
import { freePort } from '../../shared/local/free-port.ts';
import { probeStorage } from '../../shared/storage/probe-storage.ts';
import { makeBucket, startS3Server } from '../support/part-servers.ts';
import { S3_KEYS, VERSITYGW } from '../support/s3-stores.ts';

const onS3 = test.runIf(inject('s3Store') === 'versitygw');
const { accessKeyId, secretAccessKey } = S3_KEYS;

/** The variables of the SDK for one test. */
function setVariables(variables: Readonly<Record<string, string>>): void {
  // Or the SDK looks for the role of a virtual machine at an address outside.
  const all = { AWS_EC2_METADATA_DISABLED: 'true', ...variables };
  Object.assign(process.env, all);
  onTestFinished(() => {
    for (const name of Object.keys(all)) Reflect.deleteProperty(process.env, name);
  });
}

/** The result of a probe of a new bucket without `S3_ACCESS_KEY_ID` and `S3_SECRET_ACCESS_KEY`. */
async function probeWithoutKeys() {
  const bucket = await makeBucket(inject('s3Endpoint') ?? '');
  const names = Object.keys(bucket).filter((name) => !name.endsWith('KEY') && !name.endsWith('KEY_ID'));
  const settings = Object.fromEntries(names.map((name) => [name, bucket[name]]));
  return probeStorage(loadConfig({ ...settings, DATA_DIR: inject('scratch') }));
}

async function expectAllWork(): Promise<void> {
  const steps = await probeWithoutKeys();
  expect(steps.filter(({ ok }) => !ok)).toEqual([]);
  expect(steps).toHaveLength(3);
}

/** Serves one answer; returns its address and the requests. */
async function serve(type: string, body: string) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.setHeader('Content-Type', type);
    request.resume().once('end', () => response.end(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

async function newFile(content: string): Promise<string> {
  const file = path.join(inject('scratch'), randomUUID());
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
  return file;
}

// versitygw knows no session tokens, which stores with roles give with the keys.
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

onS3('without keys in the settings, those in AWS_ variables are used', async () => {
  setVariables({ AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey });
  await expectAllWork();
});

onS3('without keys in the settings, those of a profile in a file are used', async () => {
  const lines = [
    '[farm]',
    `aws_access_key_id = ${accessKeyId}`,
    `aws_secret_access_key = ${secretAccessKey}`,
  ];
  setVariables({ AWS_SHARED_CREDENTIALS_FILE: await newFile(lines.join('\n')), AWS_PROFILE: 'farm' });
  await expectAllWork();
});

onS3('without keys in the settings, those of a container role are used', async () => {
  const keys = { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: '' };
  const role = await serve('application/json', JSON.stringify({ ...keys, Expiration: inAnHour() }));
  setVariables({ AWS_CONTAINER_CREDENTIALS_FULL_URI: role.url });
  await expectAllWork();
  expect(role.requests.length).toBeGreaterThan(0);
});

onS3('without keys in the settings, those for a web identity token are used', async () => {
  const sts = await serve(
    'text/xml',
    `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
       <AssumeRoleWithWebIdentityResult><Credentials>
         <AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey>
         <Expiration>${inAnHour()}</Expiration>
       </Credentials></AssumeRoleWithWebIdentityResult>
     </AssumeRoleWithWebIdentityResponse>`,
  );
  setVariables({
    AWS_WEB_IDENTITY_TOKEN_FILE: await newFile('the token of the pod'),
    AWS_ROLE_ARN: 'arn:aws:iam::111122223333:role/modules',
    AWS_ENDPOINT_URL_STS: sts.url,
    AWS_REGION: 'us-east-1',
  });
  await expectAllWork();
  expect(sts.requests.length).toBeGreaterThan(0);
});

onS3('where there are none at all, the message names the settings', async () => {
  setVariables({});
  const steps = await probeWithoutKeys();
  expect(steps).toHaveLength(1);
  expect(steps[0]?.detail).toContain('No credentials for S3 were found');
  expect(steps[0]?.advice).toContain('Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or');
});

onS3('a store that has its buckets in host names is used with S3_FORCE_PATH_STYLE=0', async () => {
  const port = await freePort();
  const domain = `s3.localhost:${port}`;
  const root = path.join(inject('scratch'), randomUUID());
  await mkdir(path.join(root, 'modules'), { recursive: true });
  const store = {
    ...VERSITYGW,
    async command() {
      const { program, args } = await VERSITYGW.command(port, root);
      return { program, args: ['--virtual-domain', domain, ...args] };
    },
  };
  const { process: server } = await startS3Server(store, port, root);
  onTestFinished(() => void server.kill('SIGKILL'));
  const config = loadConfig({
    S3_ENDPOINT: `http://${domain}`,
    S3_BUCKET: 'modules',
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
    S3_FORCE_PATH_STYLE: '0',
  });
  const steps = await probeStorage(config);
  expect(steps.filter(({ ok }) => !ok)).toEqual([]);
  expect(steps).toHaveLength(3);
});

test.each([
  ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ['S3_SECRET_ACCESS_KEY', 'S3_ACCESS_KEY_ID'],
])('%s without %s is refused at start', (set, missing) =>
  expect(() => loadConfig({ S3_BUCKET: 'b', [set]: 'x' })).toThrow(`${missing} must be set: ${set} is set`),
);
