import type { Config } from '../../shared/config/config.ts';
import { FairRate } from '../../shared/limits/fair-rate.ts';
import { FairTurns } from '../../shared/limits/fair-turns.ts';
import { RefusedCallers } from './refused-callers.ts';

/** A page of the portal, or a script that starts, sends some hundred requests at once. */
const KEPT_REQUEST_SECONDS = 10;

/** Decides which callers may start a request now. It protects the event loop of one process, which counts by itself. */
export interface Admission {
  /** Of the event loop: requests with different credentials begin in turns. */
  readonly arrivals: FairTurns;
  /** Of the event loop: each organization starts its requests in turns with the others. */
  readonly turns: FairTurns;
  /** Requests of an organization with tokens. */
  readonly requestRate: FairRate;
  readonly refusedCallers: RefusedCallers;
}

/** Opens the admission of requests. */
export function openAdmission({ sharing }: Pick<Config, 'sharing'>): Admission {
  return {
    arrivals: new FairTurns(),
    turns: new FairTurns(),
    requestRate: new FairRate({
      what: 'requests',
      perSecond: sharing.maxRequestsPerSecondPerOrganization,
      keptSeconds: KEPT_REQUEST_SECONDS,
    }),
    refusedCallers: new RefusedCallers(),
  };
}
