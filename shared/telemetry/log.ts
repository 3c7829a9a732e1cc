import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import { quietRepeats } from './quiet-repeats.ts';
import { spanFields } from './current-span.ts';

/** A log of JSON lines without secrets. */
export type Log = Logger;

/** Members that never reach a log line, at any level. */
const SECRETS = [
  'authorization',
  'cookie',
  'clientSecret',
  'token',
  'password',
  'secretAccessKey',
  'x-api-key',
];

/** The process's log: JSON lines, on stdout. An error is logged with its stack: only operators read logs. */
export function createLog(name: string, level: string, destination?: DestinationStream): Log {
  const options: LoggerOptions = {
    name,
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: spanFields,
    hooks: quietRepeats(),
    redact: {
      paths: SECRETS.flatMap((each) => [`["${each}"]`, `*["${each}"]`, `*.*["${each}"]`]),
      censor: '[secret]',
    },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
