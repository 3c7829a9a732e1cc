import type { Database } from '../database.ts';
import type { Person } from './memberships.ts';
import type { Role } from './role.ts';

/** A person who has called for an organization. */
export interface SeenPerson extends Person {
  readonly organizationId: string;
  /** As the issuer names the person; null: it does not. */
  readonly name: string | null;
  /** By claims of the token; those by groups are found when it is noted. */
  readonly roles: readonly Role[];
}

/** A person is noted again after this time, or when their name or roles have changed. */
export const SEEN_AGAIN_MS = 3_600_000;

// In the order of the key: two processes that note the same people wait for each other, and never in a circle.
const NOTE = `
  insert into people as known (organization_id, issuer, subject, name, roles)
  select p."organizationId", p.issuer, p.subject, p.name, array(
    select jsonb_array_elements_text(p.roles)
    union select g.role from organization_groups g
      where g.organization_id = p."organizationId" and g.issuer = p.issuer and jsonb_exists(p.groups, g.name)
    order by 1)
  from jsonb_to_recordset(:people::jsonb)
      as p ("organizationId" uuid, issuer text, subject text, name text, roles jsonb, groups jsonb)
    join organizations o on o.id = p."organizationId" and o.deleted_at is null
  order by 1, 2, 3
  on conflict (organization_id, issuer, subject) do update
  set name = coalesce(excluded.name, known.name), roles = excluded.roles, seen_at = now()
  where known.seen_at < now() - :againMs * interval '1 millisecond'
    or (coalesce(excluded.name, known.name), excluded.roles) is distinct from (known.name, known.roles)`;

/** Notes that people have called for organizations, each once: one statement for many. */
export async function notePeople(database: Database, people: readonly SeenPerson[]): Promise<void> {
  await database.raw(NOTE, { people: JSON.stringify(people), againMs: SEEN_AGAIN_MS });
}
