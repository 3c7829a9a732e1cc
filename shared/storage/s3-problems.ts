import type { S3Config } from '../config/part-config.ts';
import { networkProblem } from '../process/network-problem.ts';
import type { Problem } from '../process/part-problem.ts';
import { StorageError } from './storage.ts';

/** The known facts about a failed request to the store. */
export interface S3Failure {
  readonly operation: string;
  /** The code of S3, such as `NoSuchBucket`; otherwise the name of the error. */
  readonly code: string;
  readonly message: string;
  readonly status: number | null;
  /** The region that the store expects. */
  readonly region: string | null;
}

type Explain = (config: S3Config, failure: S3Failure) => Problem;

const wrongKey: Explain = (config) => ({
  problem: `${storeOf(config)} does not know the access key.`,
  advice: config.credentials === null ? OTHER_CREDENTIALS : 'Correct S3_ACCESS_KEY_ID.',
});

const wrongSecret: Explain = (config) => ({
  problem: `${storeOf(config)} says that the signature of the request is wrong.`,
  advice:
    config.credentials === null
      ? OTHER_CREDENTIALS
      : 'Correct S3_SECRET_ACCESS_KEY. If it is right, a proxy before the store changes the request: S3_ENDPOINT must be the address for which requests are signed.',
});

const OTHER_CREDENTIALS =
  'They are those that the AWS SDK found in the environment, in files or by a role: correct them, or set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.';

const expired: Explain = (config) => ({
  problem: `The credentials for ${addressOf(config)} have expired.`,
  advice: 'Check what renews them: the role, the file of the web identity token, or the profile.',
});

const wrongToken: Explain = (config) => ({
  problem: `${storeOf(config)} does not accept the session token of the credentials.`,
  advice:
    'They are those of a role or of a web identity. Let the role be one of this store, or set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.',
});

const denied: Explain = ({ bucket }, { operation }) => ({
  problem: `The credentials may not call ${operation} on the bucket "${bucket}".`,
  advice:
    'Allow them s3:ListBucket and s3:ListBucketMultipartUploads on the bucket, and s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload on its objects.',
});

const noBucket: Explain = (config) => ({
  problem: `The bucket "${config.bucket}" does not exist at ${addressOf(config)}.`,
  advice: 'Create it, or correct S3_BUCKET or S3_ENDPOINT.',
});

const wrongRegion: Explain = (config, { region, message }) => ({
  problem: `${storeOf(config)} refuses the region "${config.region}": ${message}.`.replace(/\.\.$/, '.'),
  advice:
    region === null || region === config.region
      ? "Set S3_REGION to the bucket's region."
      : `Set S3_REGION=${region}.`,
});

const wrongClock: Explain = (config) => ({
  problem: `The clock of this machine differs too much from that of ${addressOf(config)}.`,
  advice: 'Let NTP set the clock of this machine.',
});

const storeFull: Explain = (config) => ({
  problem: `${storeOf(config)} is full.`,
  advice: 'Give it more space, or raise its quota.',
});

const noEncryption: Explain = (config) => ({
  problem: `${storeOf(config)} cannot encrypt objects with "${config.serverSideEncryption ?? ''}".`,
  advice:
    'Configure its keys, or correct S3_SERVER_SIDE_ENCRYPTION; unset, the settings of the bucket apply.',
});

/** A header of checksums or of encryption: the store need not say which. */
const refusedHeader: Explain = (config, failure) => {
  if (isAboutEncryption(failure, config)) return noEncryption(config, failure);
  const remedies = [
    ...(config.checksums === 'when-supported'
      ? ['If it has no CRC32 checksums, set S3_CHECKSUMS=when-required.']
      : []),
    ...(config.serverSideEncryption === null
      ? []
      : ['If it cannot encrypt, unset S3_SERVER_SIDE_ENCRYPTION.']),
  ];
  return {
    problem: `${storeOf(config)} refuses a header of ${failure.operation}: ${failure.message}`,
    advice: remedies.length === 0 ? null : remedies.join(' '),
  };
};

const noCredentials: Explain = (_config, { message }) => ({
  problem: `No credentials for S3 were found: ${message}.`,
  advice:
    'Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or give this process credentials of the AWS SDK: environment variables, a profile, a web identity or a role.',
});

const BY_CODE: Readonly<Record<string, Explain>> = {
  NoSuchBucket: noBucket,
  InvalidAccessKeyId: wrongKey,
  // versitygw
  XAdminUserNotFound: wrongKey,
  SignatureDoesNotMatch: wrongSecret,
  ExpiredToken: expired,
  ExpiredTokenException: expired,
  InvalidToken: wrongToken,
  AccessDenied: denied,
  Forbidden: denied,
  AllAccessDisabled: denied,
  AuthorizationHeaderMalformed: wrongRegion,
  InvalidRegion: wrongRegion,
  IllegalLocationConstraintException: wrongRegion,
  PermanentRedirect: wrongRegion,
  RequestTimeTooSkewed: wrongClock,
  NotImplemented: refusedHeader,
  XMinioStorageFull: storeFull,
  XMinioAdminBucketQuotaExceeded: storeFull,
  QuotaExceeded: storeFull,
  InsufficientStorage: storeFull,
  InvalidEncryptionAlgorithmError: noEncryption,
  CredentialsProviderError: noCredentials,
};

/** The failure of a request to the store, as an error with its remedy. */
export function explainS3Error(error: unknown, config: S3Config, commandName: string): StorageError {
  const failure = readFailure(error, commandName.replace(/Command$/, ''));
  const explain = BY_CODE[failure.code] ?? byText(failure, config);
  const problem = explain?.(config, failure) ??
    noAnswer(error, config) ?? {
      problem: `${storeOf(config)} ${answerOf(failure)}`,
      advice: null,
    };
  return new StorageError(problem, error);
}

function isAboutEncryption({ code, message }: S3Failure, config: S3Config): boolean {
  return config.serverSideEncryption !== null && /kms|encrypt/i.test(`${code} ${message}`);
}

/** Stores use different codes for the same refusal. */
function byText(failure: S3Failure, config: S3Config): Explain | undefined {
  const { message, status } = failure;
  if (isAboutEncryption(failure, config)) return noEncryption;
  const isRefusal = status !== null && ((status >= 400 && status < 500) || status === 501);
  if (isRefusal && /checksum|crc32|x-amz-/i.test(message) && config.checksums === 'when-supported')
    return refusedHeader;
  if (status === 403) return denied;
  if (status === 507) return storeFull;
  return undefined;
}

function answerOf({ operation, code, message, status }: S3Failure): string {
  const text = message === code ? code : `${code}: ${message}`;
  return status === null
    ? `did not answer ${operation}: ${text}`
    : `answered ${operation} with ${status} ${text}`;
}

/** Why there was no answer of an S3 server; null where the error is about something else. */
function noAnswer(error: unknown, config: S3Config): Problem | null {
  const address = addressOf(config);
  const setting = config.forcePathStyle
    ? 'S3_ENDPOINT'
    : 'S3_ENDPOINT (unless S3_FORCE_PATH_STYLE=1 is set, the bucket is part of the host name)';
  const network = networkProblem(error, { address, setting });
  if (network !== null) return network;
  if (!(error instanceof Error && /Deserialization error|is not expected|invalid XML/i.test(error.message)))
    return null;
  return {
    problem: `${address} does not answer as an S3 server does.`,
    advice: 'Correct S3_ENDPOINT: it must be the address of the S3 API, not of a console or a web page.',
  };
}

/** The store where no endpoint is set. */
const AMAZON = 'Amazon S3';

/** The store's address without what may be secret in it. */
function addressOf({ endpoint }: S3Config): string {
  return endpoint === null ? AMAZON : new URL(endpoint).origin;
}

function storeOf(config: S3Config): string {
  return config.endpoint === null ? AMAZON : `The store at ${addressOf(config)}`;
}

function readFailure(error: unknown, operation: string): S3Failure {
  if (!(error instanceof Error))
    return { operation, code: 'Error', message: String(error), status: null, region: null };
  const metadata: unknown = '$metadata' in error ? error.$metadata : undefined;
  const status: unknown =
    typeof metadata === 'object' && metadata !== null && 'httpStatusCode' in metadata
      ? metadata.httpStatusCode
      : null;
  const region: unknown = 'Region' in error ? error.Region : null;
  return {
    operation,
    code: error.name,
    message: error.message,
    status: typeof status === 'number' ? status : null,
    region: typeof region === 'string' ? region : null,
  };
}
