import type { SettingsReader } from './settings-reader.ts';

/** Who may read metrics, and where a worker serves its own. */
export interface MetricsConfig {
  /** The port on which a worker serves its metrics; 0 picks a free one, null: none. The API serves its own on its port. */
  readonly workerPort: number | null;
  readonly workerHost: string;
  /** The token that a reader must send; null: only this machine may read. */
  readonly token: string | null;
}

/** How spans are sent: OTLP over HTTP. The SDK itself reads the address and the sampling from the standard variables. */
export interface TracingConfig {
  readonly protocol: (typeof PROTOCOLS)[number];
}

const PROTOCOLS = ['http/protobuf', 'http/json'] as const;
const MIN_TOKEN_LENGTH = 16;

/** Reads who may read metrics, and where. */
export function readMetrics(read: SettingsReader): MetricsConfig {
  const token = read.optional('METRICS_TOKEN');
  if (token !== null && token.length < MIN_TOKEN_LENGTH)
    read.addIssue('METRICS_TOKEN', `must have at least ${MIN_TOKEN_LENGTH} characters`);
  const isOn = read.optional('METRICS_PORT') !== null;
  return {
    workerPort: isOn ? read.integer('METRICS_PORT', 0, { min: 0, max: 65_535 }) : null,
    workerHost: read.text('METRICS_HOST', '127.0.0.1'),
    token,
  };
}

/** Reads whether traces are sent, by OpenTelemetry's standard variables; null: they are not. */
export function readTracing(read: SettingsReader): TracingConfig | null {
  const isDisabled = read.boolean('OTEL_SDK_DISABLED', false);
  const addresses = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'].map((name) =>
    read.url(name, ['http:', 'https:']),
  );
  const isAddressed = addresses.some((address) => address !== null);
  const exporter = read.oneOf('OTEL_TRACES_EXPORTER', ['otlp', 'none'], isAddressed ? 'otlp' : 'none');
  const common = read.oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', PROTOCOLS, 'http/protobuf');
  const protocol = read.oneOf('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', PROTOCOLS, common);
  return isDisabled || exporter === 'none' ? null : { protocol };
}
