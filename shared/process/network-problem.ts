import { codeOf } from './error-code.ts';
import { PartProblem } from './part-problem.ts';

/** Where a connection leads, and the setting that says so. */
export interface Target {
  /** Without credentials: it is shown and logged. */
  readonly address: string;
  readonly setting: string;
}

type Explain = (target: Target) => readonly [problem: string, advice: string];

const unanswered: Explain = ({ address, setting }) => [
  `${address} does not answer.`,
  `Check firewalls and network policies between this machine and that address, then ${setting}.`,
];
const unknownHost: Explain = ({ address, setting }) => [
  `The host name in ${address} is not known.`,
  `Correct the host name in ${setting}, or the DNS of this machine.`,
];
const unclearProtocol: Explain = ({ address, setting }) => [
  `${address} closed the connection or does not speak TLS.`,
  `Check that ${setting} has the right host and port, and that it asks for TLS only where the server offers it.`,
];
const untrusted: Explain = ({ address }) => [
  `The certificate of ${address} is from an authority that this machine does not trust.`,
  "Put the authority's certificate (PEM) into a file, and set NODE_EXTRA_CA_CERTS to its path.",
];
const outOfDate: Explain = ({ address }) => [
  `The certificate of ${address} is not valid at this time, or the clock of this machine is wrong.`,
  'Renew the certificate, or synchronize the clock.',
];

/** By the codes of Node's sockets, of its resolver, of OpenSSL and of Node's fetch. */
const EXPLANATIONS: Readonly<Record<string, Explain>> = {
  ECONNREFUSED: ({ address, setting }) => [
    `Nothing listens at ${address}.`,
    `Start the server, or correct ${setting}.`,
  ],
  EADDRINUSE: ({ address, setting }) => [
    `Another program listens at ${address}.`,
    `Stop it, or set ${setting} to another port; 0 takes a free one.`,
  ],
  EACCES: ({ address, setting }) => [
    `This account may not listen at ${address}.`,
    `Set ${setting} to a port from 1024 on.`,
  ],
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
  ETIMEDOUT: unanswered,
  EHOSTUNREACH: unanswered,
  ENETUNREACH: unanswered,
  UND_ERR_CONNECT_TIMEOUT: unanswered,
  UND_ERR_HEADERS_TIMEOUT: unanswered,
  ECONNRESET: unclearProtocol,
  EPIPE: unclearProtocol,
  EPROTO: unclearProtocol,
  UND_ERR_SOCKET: unclearProtocol,
  ERR_SSL_WRONG_VERSION_NUMBER: unclearProtocol,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: unclearProtocol,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_HAS_EXPIRED: outOfDate,
  CERT_NOT_YET_VALID: outOfDate,
  ERR_TLS_CERT_ALTNAME_INVALID: ({ address, setting }) => [
    `The certificate of ${address} is for another host name.`,
    `Use in ${setting} a host name that the certificate has.`,
  ],
};

/** Explains a failure to connect or to listen; null for other errors. */
export function networkProblem(error: unknown, target: Target): PartProblem | null {
  const explain = codesOf(error)
    .map((code) => EXPLANATIONS[code])
    .find((found) => found !== undefined);
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  if (explain === undefined && !isTimeout) return null;
  const [problem, advice] = (explain ?? unanswered)(target);
  return new PartProblem({ problem, advice }, error);
}

/** The codes of an error and of its causes: `fetch` wraps those of the socket. */
function codesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  return [codeOf(error) ?? [], codesOf(error.cause)].flat();
}

/** An address as it may be shown: without credentials and parameters. */
export function shownAddress(url: string): string {
  if (!URL.canParse(url)) return 'the address';
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}
