import type { Redis } from 'ioredis';
import type { FairSlots } from '../shared/limits/fair-slots.ts';
import type { Context } from '../shared/process/context.ts';
import type { HealthOfParts } from './operations/health.ts';
import type { ApiMetrics } from './operations/api-metrics.ts';
import type { Access } from './auth/access.ts';
import type { SeenPeople } from './auth/seen-people.ts';
import type { Sessions } from './auth/sessions.ts';
import type { ApiKeys } from './auth/api-key.ts';
import type { JsonBodies } from './http/request/json-bodies.ts';
import type { RateLimit } from './http/limits/rate-limit.ts';
import type { Admission } from './http/limits/admission.ts';
import type { Stop } from './http/server/stop.ts';
import type { Imports } from './imports/open-imports.ts';
import type { ModuleFiles } from './modules/open-module-files.ts';
import type { Structures } from './structures/stream-slots.ts';
import type { TokenExchange } from './trusted-publishing/token-exchange.ts';
import type { DataReadLog } from './machine-access/data-read-log.ts';
import type { KeyRequestLog } from './machine-access/key-request-log.ts';
import type { MachineRate } from './machine-access/machine-rate.ts';
import type { ChangeWaiter } from './changes/change-waiter.ts';
import type { ChangeSequencer } from '../shared/db/changes/change-sequencer.ts';

/** The context of routes: that of the process, with the API's own parts. */
export interface ApiContext extends Context {
  readonly admission: Admission;
  readonly access: Access;
  readonly apiKeys: Pick<ApiKeys, 'authenticate' | 'flush'>;
  readonly seenPeople: Pick<SeenPeople, 'flush'>;
  readonly keyRequests: Pick<KeyRequestLog, 'follow' | 'flush'>;
  readonly dataReads: Pick<DataReadLog, 'note' | 'flush'>;
  readonly machineRate: MachineRate;
  /** Null without PORTAL_CLIENT_ID: neither portal nor dashboard exist. */
  readonly sessions: Sessions | null;
  readonly tokenExchange: TokenExchange;
  /** For calls without a credential that read the database, by network. */
  readonly publicRate: RateLimit;
  /** For calls of CI services, by organization: they limit how often this service may call them. */
  readonly claimsRate: RateLimit;
  readonly jsonBodies: JsonBodies;
  readonly imports: Imports;
  /** Gives positions to the changes that requests have made. */
  readonly changes: ChangeSequencer;
  readonly changeWaiter: ChangeWaiter;
  /** For event streams, and for requests that wait for changes. */
  readonly eventSlots: FairSlots;
  readonly moduleFiles: ModuleFiles;
  readonly structures: Structures;
  /** The origins of modules' applications for browsers, with `*` for the module's ID; null: they are not served. */
  readonly applicationOrigins: string | null;
  readonly health: HealthOfParts;
  readonly metrics: ApiMetrics;
  readonly stop: Stop;
  /** For limits that all API processes share; null without Redis. */
  readonly redis: Redis | null;
}
