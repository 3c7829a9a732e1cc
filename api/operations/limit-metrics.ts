import type { ProcessMetrics } from '../../shared/telemetry/process-metrics.ts';
import type { ApiContext } from '../context.ts';

type Limits = Pick<
  ApiContext,
  'admission' | 'imports' | 'moduleFiles' | 'structures' | 'eventSlots' | 'jsonBodies'
>;

/** Reports the use of everything that organizations share in an API process, but for the pools of connections. */
export function watchLimits(metrics: ProcessMetrics, limits: Limits): void {
  const { admission, imports, moduleFiles, structures, eventSlots, jsonBodies } = limits;
  metrics.watchLimit('uploads', () => imports.uploadSlots.use());
  metrics.watchLimit('exports', () => moduleFiles.exportSlots.use());
  metrics.watchLimit('downloads', () => moduleFiles.downloadSlots.use());
  metrics.watchLimit('event streams', () => eventSlots.use());
  metrics.watchLimit('structure streams', () => structures.streamSlots.use());
  metrics.watchLimit('KiB of JSON bodies', () => jsonBodies.memoryUse());
  metrics.watchLimit('JSON threads', () => jsonBodies.threadUse());
  metrics.watchLimit('arriving requests', () => admission.arrivals.use());
  metrics.watchLimit('event loop turns', () => admission.turns.use());
}
