import { readOrigin } from './origin.ts';
import type { SettingsReader } from './settings-reader.ts';

/** Where and how the API listens and stops. */
export interface ServerConfig {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** The origin that clients use; null: the one that the server listens on. */
  readonly publicUrl: string | null;
  /** Number of proxies in front whose `X-Forwarded-*` headers are trusted. */
  readonly trustProxy: number;
  readonly corsOrigins: readonly string[];
  readonly maxJsonBodyBytes: number;
  /** Of all JSON bodies that are being received or handled, by their declared or greatest size. */
  readonly maxJsonBytesInFlight: number;
  readonly maxJsonBytesInFlightPerOrganization: number;
  /** Threads that parse and validate larger bodies. */
  readonly jsonThreads: number;
  /** At shutdown: how long the server still serves but is not ready, so that the load balancer notices. */
  readonly shutdownDelaySeconds: number;
  /** At shutdown: how long running requests and jobs may take to end. */
  readonly drainSeconds: number;
}

const WHOLE_ORIGIN =
  'cookies and the policies of browsers apply to an origin as a whole. Give the service a host name or a port of its own, and let the proxy forward every path to it';

/** Reads how the API listens and stops. */
export function readServer(read: SettingsReader): ServerConfig {
  return {
    host: read.text('HOST', '127.0.0.1'),
    port: read.integer('PORT', 8080, { min: 0, max: 65_535 }),
    publicUrl: readOrigin(read, 'PUBLIC_URL', 'https://modules.example.com', WHOLE_ORIGIN),
    trustProxy: read.integer('TRUST_PROXY', 0, { min: 0, max: 32 }),
    corsOrigins: read.list('CORS_ORIGINS'),
    maxJsonBodyBytes: read.integer('MAX_JSON_BODY_BYTES', 10 * 1024 * 1024),
    maxJsonBytesInFlight: read.integer('MAX_JSON_BYTES_IN_FLIGHT', 64 * 1024 * 1024),
    maxJsonBytesInFlightPerOrganization: read.integer(
      'MAX_JSON_BYTES_IN_FLIGHT_PER_ORGANIZATION',
      20 * 1024 * 1024,
    ),
    jsonThreads: read.integer('JSON_THREADS', 2, { max: 64 }),
    shutdownDelaySeconds: read.integer('SHUTDOWN_DELAY_SECONDS', 0, { min: 0, max: 3_600 }),
    drainSeconds: read.integer('DRAIN_SECONDS', 10, { min: 0, max: 86_400 }),
  };
}
