import { onBothQueues, type Fault } from './fault.ts';

/** Faults after which another server has the address of the one that died. */
export const FAILOVER_FAULTS: readonly Fault[] = [
  {
    name: 'Redis fails over',
    parts: 'Redis, S3',
    needs: ['redis and S3'],
    replicatesRedis: true,
    pauseMs: 1_500,
    inject: async ({ own }) => own.redis?.failOver(),
  },
  ...onBothQueues({
    name: 'PostgreSQL fails over asynchronously',
    needs: ['PostgreSQL tools'],
    postgres: 'with a standby',
    pauseMs: 1_500,
    inject: async ({ own }) => own.postgres?.failOver(),
  }),
  ...onBothQueues({
    name: 'PostgreSQL fails over synchronously',
    needs: ['PostgreSQL tools'],
    postgres: 'with a synchronous standby',
    pauseMs: 1_500,
    inject: async ({ own }) => own.postgres?.failOverSynchronously(),
  }),
];
