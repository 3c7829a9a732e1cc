import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Config } from '../config/config.ts';

/**
 * Starts sending spans in batches. Addresses, headers, samplers and batch sizes are those of OpenTelemetry's
 * standard variables, which its SDK reads from the environment.
 */
export async function startTraceExport(
  serviceName: string,
  config: NonNullable<Config['tracing']>,
): Promise<BasicTracerProvider> {
  const named = resourceFromAttributes({ 'service.name': serviceName });
  const resource = defaultResource()
    .merge(named)
    .merge(detectResources({ detectors: [envDetector] }));
  const exporter = await makeExporter(config);
  return new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] });
}

/** Only the exporter of the protocol in use is loaded. */
async function makeExporter({ protocol }: NonNullable<Config['tracing']>): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter();
}
