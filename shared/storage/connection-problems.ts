import type { S3Config } from '../config/storage-config.ts';
import type { Problem } from '../process/part-problem.ts';

/** Codes of Node and OpenSSL for a certificate whose issuer is not trusted. */
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
const OUT_OF_DATE = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

/** Why there was no answer; null where the error is about something else. */
export function explainConnectionError(error: unknown, config: S3Config): Problem | null {
  if (!(error instanceof Error)) return null;
  const code = 'code' in error ? String(error.code) : error.name;
  const address = addressOf(config);
  if (UNTRUSTED.has(code))
    return {
      problem: `The certificate of ${address} is not of an authority that this process trusts.`,
      advice: 'Start it with NODE_EXTRA_CA_CERTS=<file with the certificate of your authority>.',
    };
  if (OUT_OF_DATE.has(code))
    return {
      problem: `The certificate of ${address} is not valid at this time.`,
      advice: 'Renew it, or correct the clock of this machine.',
    };
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return {
      problem: `The certificate of ${address} is for other names: ${error.message}`,
      advice: config.forcePathStyle
        ? 'Use a name in S3_ENDPOINT that the certificate has.'
        : 'Let the certificate have the name of the bucket too, or set S3_FORCE_PATH_STYLE=1.',
    };
  return noAnswer(error, code, address, config);
}

function noAnswer(error: Error, code: string, address: string, config: S3Config): Problem | null {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return {
      problem: `No address is known for the host of ${address}: ${error.message}.`,
      advice: config.forcePathStyle
        ? 'Correct S3_ENDPOINT or the DNS.'
        : `Let the DNS know the host of the bucket, or set S3_FORCE_PATH_STYLE=1.`,
    };
  if (code === 'EPROTO')
    return {
      problem: `${address} does not speak TLS.`,
      advice: 'Let S3_ENDPOINT start with http://, or correct its port.',
    };
  if (/Deserialization error|is not expected|invalid XML/i.test(error.message))
    return {
      problem: `${address} does not answer as an S3 server does.`,
      advice: 'Correct S3_ENDPOINT: it must be the address of the S3 API, not of a console or a web page.',
    };
  if (/^E[A-Z]+$/.test(code) || code === 'TimeoutError')
    return {
      problem: `${address} does not answer: ${error.message === '' ? code : error.message}.`,
      advice: 'Check that the store runs, that S3_ENDPOINT is right, and that no firewall is in between.',
    };
  return null;
}

/** The store's address without what may be secret in it. */
export function addressOf({ endpoint }: S3Config): string {
  return endpoint === null ? AMAZON : new URL(endpoint).origin;
}

/** The store where no endpoint is set. */
export const AMAZON = 'Amazon S3';
