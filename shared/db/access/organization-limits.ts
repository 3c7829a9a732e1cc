import { ORGANIZATION_LIMITS, type OrganizationLimitValues } from '../../config/limit-config.ts';
import { forOwner } from '../../limits/owner.ts';
import type { Database } from '../database.ts';
import { queryRow, queryRows } from '../statement.ts';
import { auditInsert, type Actor } from './audit-log.ts';

/** The limits that an operator has set for one organization; what is missing is the deployment's. */
export type OwnLimits = Partial<OrganizationLimitValues>;

/** The longest age of limits that are used. Few organizations have limits of their own: all of them are read at once. */
const CURRENT_MS = 500;

/** The owner of the connection that reads them. */
const OWNER = 'organization limits';

interface LimitRow {
  readonly organizationId: string;
  readonly limits: OwnLimits;
}

/** The limits of each organization: its own, and otherwise those of the deployment. */
export class OrganizationLimits {
  readonly #database: Database;
  /** Those of the deployment. */
  readonly standard: OrganizationLimitValues;
  #own: ReadonlyMap<string, OrganizationLimitValues> = new Map();
  #readAtMs = -Infinity;
  #changedAtMs = -Infinity;
  #reading: Promise<void> | null = null;

  constructor(database: Database, standard: OrganizationLimitValues) {
    this.#database = database;
    this.standard = standard;
  }

  /** The limits of an organization, as they were at most half a second ago. */
  async of(organizationId: string): Promise<OrganizationLimitValues> {
    if (this.#isOld()) await this.#read();
    return this.#known(organizationId);
  }

  /** The limits as they were when somebody asked last, for what must not wait; they are read again meanwhile. */
  recall(organizationId: string): OrganizationLimitValues {
    // Without a database, what was read last counts.
    if (this.#isOld()) this.#read().catch(() => undefined);
    return this.#known(organizationId);
  }

  /** This process has changed limits: it reads them again. */
  changed(): void {
    this.#changedAtMs = performance.now();
  }

  #known(organizationId: string): OrganizationLimitValues {
    return this.#own.get(organizationId) ?? this.standard;
  }

  #isOld(): boolean {
    return this.#readAtMs <= this.#changedAtMs || performance.now() - this.#readAtMs > CURRENT_MS;
  }

  #read(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    const startedMs = performance.now();
    const read = () =>
      queryRows<LimitRow>(this.#database, 'select organization_id, limits from organization_limits');
    // Not the connection of the organization that happens to ask: the others wait for this too.
    const rows = await forOwner(OWNER, read);
    this.#own = new Map(
      rows.map(({ organizationId, limits }) => [organizationId, { ...this.standard, ...limits }]),
    );
    this.#readAtMs = startedMs;
  }
}

const READ = `
  select o.id as organization_id, coalesce(l.limits, '{}') as limits
  from organizations o left join organization_limits l on l.organization_id = o.id
  where o.id = :organizationId and o.deleted_at is null`;

/** The organization's own limits; null where there is no such organization. */
export async function readOwnLimits(database: Database, organizationId: string): Promise<OwnLimits | null> {
  return (await queryRow<LimitRow>(database, READ, { organizationId }))?.limits ?? null;
}

/** The same limits again change nothing. */
const WRITE = `
  with found as (
    select id as organization_id from organizations where id = :organizationId and deleted_at is null
  ), changed as (
    insert into organization_limits as l (organization_id, limits) select organization_id, :limits::jsonb from found
    where :limits::jsonb <> '{}' or exists (select from organization_limits o where o.organization_id = found.organization_id)
    on conflict (organization_id) do update set limits = excluded.limits where l.limits <> excluded.limits
    returning *
  ), recorded as (${auditInsert('organization.limitsChanged', 'changed', {
    details: `jsonb_strip_nulls(jsonb_build_object(${ORGANIZATION_LIMITS.map((name) => `'${name}', limits ->> '${name}'`).join(', ')}))`,
  })})
  select organization_id from found`;

/** Replaces the organization's own limits; false where there is no such organization. */
export async function writeOwnLimits(
  database: Database,
  organizationId: string,
  limits: OwnLimits,
  actor: Actor,
): Promise<boolean> {
  const values = { organizationId, limits: JSON.stringify(limits), ...actor };
  return (await queryRow(database, WRITE, values)) !== null;
}
