import type { SettingsReader } from './settings-reader.ts';

/** Who may read metrics, and where a worker tells its own. */
export interface MetricsConfig {
  /** Where a worker tells its metrics; 0 picks a free port, null: nowhere. The API tells its own on its port. */
  readonly workerPort: number | null;
  readonly workerHost: string;
  /** What a reader from another machine must show; null: only this machine may read. */
  readonly token: string | null;
}

/** How spans are sent: OTLP over HTTP. Where to, and how many, the SDK reads from the standard variables itself. */
export interface TracingConfig {
  readonly protocol: (typeof PROTOCOLS)[number];
}

const PROTOCOLS = ['http/protobuf', 'http/json'] as const;
const MIN_TOKEN_LENGTH = 16;

/** Reads who may see the metrics, and where. */
export function readMetrics(read: SettingsReader): MetricsConfig {
  const token = read.optional('METRICS_TOKEN');
  if (token !== null && token.length < MIN_TOKEN_LENGTH)
    read.fault('METRICS_TOKEN', `must have at least ${MIN_TOKEN_LENGTH} characters`);
  const isOn = read.optional('METRICS_PORT') !== null;
  return {
    workerPort: isOn ? read.integer('METRICS_PORT', 0, { min: 0, max: 65_535 }) : null,
    workerHost: read.text('METRICS_HOST', '127.0.0.1'),
    token,
  };
}

/** Reads whether traces are sent, by OpenTelemetry's standard variables; null: they are not. */
export function readTracing(read: SettingsReader): TracingConfig | null {
  const isDisabled = read.flag('OTEL_SDK_DISABLED', false);
  const addresses = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'].map((name) =>
    read.url(name, ['http:', 'https:']),
  );
  const isAddressed = addresses.some((address) => address !== null);
  const exporter = read.oneOf('OTEL_TRACES_EXPORTER', ['otlp', 'none'], isAddressed ? 'otlp' : 'none');
  const common = read.oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', PROTOCOLS, 'http/protobuf');
  const protocol = read.oneOf('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', PROTOCOLS, common);
  return isDisabled || exporter === 'none' ? null : { protocol };
}
