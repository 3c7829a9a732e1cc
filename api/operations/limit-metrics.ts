import type { ProcessMetrics } from '../../shared/telemetry/process-metrics.ts';
import type { ApiContext } from '../context.ts';

type Limits = Pick<
  ApiContext,
  | 'uploadSlots'
  | 'exportSlots'
  | 'downloadSlots'
  | 'eventSlots'
  | 'streamSlots'
  | 'jsonBodies'
  | 'arrivals'
  | 'turns'
>;

/** Reports the use of everything that organizations share in an API process, but for the pools of connections. */
export function watchLimits(metrics: ProcessMetrics, limits: Limits): void {
  metrics.watchLimit('uploads', () => limits.uploadSlots.use());
  metrics.watchLimit('exports', () => limits.exportSlots.use());
  metrics.watchLimit('downloads', () => limits.downloadSlots.use());
  metrics.watchLimit('event streams', () => limits.eventSlots.use());
  metrics.watchLimit('structure streams', () => limits.streamSlots.use());
  metrics.watchLimit('KiB of JSON bodies', () => limits.jsonBodies.memoryUse());
  metrics.watchLimit('JSON threads', () => limits.jsonBodies.threadUse());
  metrics.watchLimit('arriving requests', () => limits.arrivals.use());
  metrics.watchLimit('event loop turns', () => limits.turns.use());
}
