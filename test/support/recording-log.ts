import { createLog, type Log } from '../../shared/telemetry/log.ts';

/** A log, and its lines so far. */
export function recordingLog(): { readonly lines: readonly Record<string, unknown>[]; readonly log: Log } {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => {
    lines.push(JSON.parse(line) as Record<string, unknown>);
  };
  return { lines, log: createLog('test', 'info', { write }) };
}
