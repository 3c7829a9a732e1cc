import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A certificate of an authority of its own, as files and as bytes. */
export interface TestCertificate {
  /** The certificate of the authority: what clients are given. */
  readonly authorityFile: string;
  readonly keyFile: string;
  readonly certFile: string;
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** Makes an authority, and a certificate of it for these names; both are valid for this number of days. */
export async function makeCertificate(
  folder: string,
  days = 2,
  names = 'DNS:localhost,IP:127.0.0.1',
): Promise<TestCertificate> {
  await mkdir(folder, { recursive: true });
  const at = (name: string) => path.join(folder, name);
  const openssl = (...args: string[]) => run('openssl', args);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const authority = [
    '-keyout',
    at('authority.key'),
    '-out',
    at('authority.crt'),
    '-subj',
    '/CN=Test authority',
  ];
  await openssl('req', '-x509', ...newKey, ...authority, '-days', String(days));
  await openssl(
    'req',
    ...newKey,
    '-keyout',
    at('server.key'),
    '-out',
    at('server.csr'),
    '-subj',
    '/CN=localhost',
  );
  await writeFile(at('names'), `subjectAltName=${names}\n`);
  const signer = ['-CA', at('authority.crt'), '-CAkey', at('authority.key'), '-CAcreateserial'];
  const signed = [
    '-in',
    at('server.csr'),
    '-out',
    at('server.crt'),
    '-extfile',
    at('names'),
    '-days',
    String(days),
  ];
  await openssl('x509', '-req', ...signer, ...signed);
  return {
    authorityFile: at('authority.crt'),
    keyFile: at('server.key'),
    certFile: at('server.crt'),
    key: await readFile(at('server.key')),
    cert: await readFile(at('server.crt')),
  };
}
