/** How often a worker shows that it is alive. */
export const BEAT_MS = 5_000;
/** The age at which the last sign of life means that it is not. */
export const STALE_MS = 6 * BEAT_MS;
