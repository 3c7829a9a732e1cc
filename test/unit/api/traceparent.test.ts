import { expect, test } from 'vitest';
import { loadConfig } from '../../../shared/config/config.ts';
import { formatTraceparent, parseTraceparent } from '../../../shared/telemetry/tracing.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test.each([
  ['of version 00', `00-${TRACE}-${SPAN}-01`],
  ['not recorded', `00-${TRACE}-${SPAN}-00`],
])('a traceparent %s is unchanged after parsing and formatting', (_, text) => {
  const context = parseTraceparent(text);
  expect(context).toMatchObject({ traceId: TRACE, spanId: SPAN });
  expect(context === null ? '' : formatTraceparent(context)).toBe(text);
});

test('of a later version only the fields of version 00 and the known flag are read', () => {
  const context = parseTraceparent(`cc-${TRACE}-${SPAN}-ff-what-comes-later`);
  expect(context === null ? '' : formatTraceparent(context)).toBe(`00-${TRACE}-${SPAN}-01`);
});

test.each([
  ['absent', undefined],
  ['empty', ''],
  ['with a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['with a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['of the forbidden version', `ff-${TRACE}-${SPAN}-01`],
  ['of version 00 with more members', `00-${TRACE}-${SPAN}-01-x`],
  ['in upper case', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['with a line break', `00-${TRACE}-${SPAN}-01\n`],
])('a traceparent %s is invalid', (_, text) => expect(parseTraceparent(text)).toBeNull());

test.each([
  ['nothing set', {}, null],
  ['an address', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, 'http/protobuf'],
  [
    'a protocol',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
    'http/json',
  ],
])('by the standard variables, with %s', (_, environment, protocol) =>
  expect(loadConfig(environment).tracing).toEqual(protocol === null ? null : { protocol }),
);

test('an unsupported protocol is reported at start', () =>
  expect(() => loadConfig({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toThrow(
    /OTEL_EXPORTER_OTLP_PROTOCOL must be one of http\/protobuf, http\/json/,
  ));
