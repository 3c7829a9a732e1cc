import type { Database } from '../database.ts';
import { requireWithin } from '../quota.ts';
import { preparedStatement, queryRows } from '../statement.ts';

const MOST_OPEN = preparedStatement(`
  select count(*) as n from alerts
  where module_id = :moduleId and status = 'firing'
    and organization_id in (select organization_id from alert_rules where id = any(:ruleIds::uuid[]))
  group by organization_id order by n desc limit 1`);

/** Counts the module's open alerts of each organization of these alerts. Their installations are locked: nobody adds any. */
export async function requireFewOpen(
  transaction: Database,
  moduleId: string,
  alerts: readonly { readonly ruleId: string }[],
  maxOpen: number,
): Promise<void> {
  const ruleIds = [...new Set(alerts.map(({ ruleId }) => ruleId))];
  const rows = await queryRows<{ n: number }>(transaction, MOST_OPEN, { moduleId, ruleIds });
  requireWithin(rows[0]?.n ?? 0, maxOpen, 'open alerts of the module in one organization');
}

interface OpenAlerts {
  readonly organizationId: string;
  readonly open: number;
  /** The fingerprints of the batch that are open. */
  readonly known: readonly string[];
}

interface ValidAlert {
  readonly index: number;
  /** Of the rule. */
  readonly organizationId: string | null;
  readonly fingerprint: Buffer;
  readonly status: 'firing' | 'resolved';
}

/** The indices of the alerts that do not fit into the quota, in the order of the batch. What the batch resolves makes room. */
export async function findBeyond(
  transaction: Database,
  moduleId: string,
  alerts: readonly ValidAlert[],
  maxOpen: number,
): Promise<readonly number[]> {
  const rows = await queryRows<OpenAlerts>(
    transaction,
    `select organization_id, count(*)::int as open, coalesce(array_agg(encode(fingerprint, 'hex'))
       filter (where fingerprint = any(:fingerprints::bytea[])), '{}') as known
     from alerts where module_id = :moduleId and status = 'firing' and organization_id = any(:ids::uuid[])
     group by organization_id`,
    {
      moduleId,
      ids: alerts.map(({ organizationId }) => organizationId),
      fingerprints: alerts.map(({ fingerprint }) => fingerprint),
    },
  );
  const known = new Set(rows.flatMap((row) => row.known));
  const isOpen = ({ fingerprint }: ValidAlert) => known.has(fingerprint.toString('hex'));
  const room = new Map<string | null, number>(
    rows.map(({ organizationId, open }) => [organizationId, maxOpen - open]),
  );
  const roomOf = (organizationId: string | null) => room.get(organizationId) ?? maxOpen;
  for (const alert of alerts)
    if (alert.status === 'resolved' && isOpen(alert))
      room.set(alert.organizationId, roomOf(alert.organizationId) + 1);
  return alerts.flatMap((alert): number[] => {
    if (alert.status === 'resolved' || isOpen(alert)) return [];
    const left = roomOf(alert.organizationId) - 1;
    if (left < 0) return [alert.index];
    room.set(alert.organizationId, left);
    return [];
  });
}
