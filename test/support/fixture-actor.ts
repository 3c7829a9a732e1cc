import type { Actor } from '../../shared/db/access/audit-log.ts';
import { OF_TOKEN } from '../../shared/db/access/authority.ts';

/** Who makes what tests and benchmarks start with. */
export const FIXTURE_ACTOR: Actor = {
  subject: 'fixture',
  actorName: null,
  traceId: '0'.repeat(32),
  authority: OF_TOKEN,
};
