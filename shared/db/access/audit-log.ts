import type { Database } from '../database.ts';
import { OF_TOKEN, requireAuthority, type Authority } from './authority.ts';
import { inPages, keysetPage, type Page, type PageRequest } from '../keyset-page.ts';
import { AuditEntryModel, type AuditAction, type AuditDetails } from './models.ts';

/** The person or program that acts, its request, and on which authority it acts. */
export interface Actor {
  readonly subject: string;
  /** As the issuer's token names the person; null: it does not. */
  readonly actorName: string | null;
  readonly traceId: string;
  readonly authority: Authority;
}

/** A program that acts, which no issuer names: nobody withdraws its authority here. */
export function programActor(subject: string, traceId: string): Actor {
  return { subject, actorName: null, traceId, authority: OF_TOKEN };
}

export interface AuditEntry {
  /** The organization whose log shows it. */
  readonly organizationId: string;
  readonly action: AuditAction;
  readonly moduleId?: string;
  readonly clientId?: string;
  /** The import, alert rule, alert or invitation. */
  readonly targetId?: string;
  /** The name of the target, the API client or the person that the entry is about. */
  readonly targetName?: string | null;
  readonly details?: AuditDetails | undefined;
}

/** What an entry has of a row, as SQL expressions; by default its organization, and the values of an `Actor`. */
interface AuditColumns {
  readonly organizationId?: string;
  readonly actor?: string;
  readonly actorName?: string;
  readonly traceId?: string;
  readonly moduleId?: string;
  readonly clientId?: string;
  readonly targetId?: string;
  readonly targetName?: string;
  readonly details?: string;
  /** Default: that of the values of the actor. */
  readonly authority?: string;
}

/**
 * The SQL that writes an entry for each row of `from`, a part of the same statement which returns what was changed: so
 * neither the change nor its entry is stored without the other, and the entry costs no round trip. Everything that
 * the audit log has is written by it. It fails where the authority for the change was withdrawn: everything that is
 * audited is checked so at the moment it counts.
 */
export function auditInsert(
  action: AuditAction | ':action',
  from: string,
  columns: AuditColumns = {},
): string {
  const { organizationId = 'organization_id', actor = ':subject', traceId = ':traceId' } = columns;
  const { moduleId = 'null', clientId = 'null', targetId = 'null', details = 'null' } = columns;
  const { authority = ':authority::jsonb', actorName = ':actorName', targetName = 'null' } = columns;
  return `insert into audit_log
      (id, organization_id, actor, trace_id, action, module_id, client_id, target_id, details,
        organization_name, actor_name, module_name, target_name)
    select gen_random_uuid(), ${organizationId}, ${actor}, ${traceId}, ${action === ':action' ? action : `'${action}'`},
      ${moduleId}::uuid, ${clientId}::uuid, ${targetId}::uuid, ${details}::jsonb,
      (select o.name from organizations o where o.id = ${organizationId}),
      coalesce(${memberName(organizationId, authority)}, ${actorName}), ${moduleName(organizationId, moduleId)}, ${targetName}
    from ${from} where ${requireAuthority(authority)}`;
}

/*
 * Expressions of the caller are put into the subqueries below, which rename columns: a name such as `organization_id` would
 * otherwise be that of the row that is read.
 */

/** The SQL of the name that the organization has given its member: the token may name the person otherwise, or not at all. */
function memberName(organizationId: string, authority: string): string {
  return `(select p.name from (
          select name, issuer, subject as member_subject, organization_id as member_of from members) p
        where p.member_of = ${organizationId}
          and p.issuer = (${authority}) ->> 'issuer' and p.member_subject = (${authority}) ->> 'subject')`;
}

/** The SQL of a module's name. Only its owner learns the name of a revision that was never released. */
export function moduleName(organizationId: string, moduleId: string): string {
  return `(select r.name from (
          select name, revision, released_at, module_id as revision_of, organization_id as of_vendor from module_revisions) r
        where r.revision_of = ${moduleId}::uuid
          and (r.released_at is not null or r.of_vendor = ${organizationId}) order by r.revision desc limit 1)`;
}

const WRITE = auditInsert(':action', '(select) as one', {
  organizationId: ':organizationId::uuid',
  moduleId: ':moduleId',
  clientId: ':clientId',
  targetId: ':targetId',
  targetName: ':targetName',
  details: ':details',
});

/** Writes an entry, in the transaction of the change that it records, so that neither is stored without the other. */
export async function writeAudit(transaction: Database, actor: Actor, entry: AuditEntry): Promise<void> {
  const { organizationId, action, moduleId = null, clientId = null, details = null } = entry;
  const { targetId = null, targetName = null } = entry;
  const json = details && JSON.stringify(details);
  await transaction.raw(WRITE, {
    ...actor,
    ...{ organizationId, action, moduleId, clientId, targetId, targetName, details: json },
  });
}

/** A range of time; null: without a start, or without an end. */
interface AuditRange {
  /** Inclusive. */
  readonly from: Date | null;
  /** Exclusive. */
  readonly to: Date | null;
}

/** The filter of a list; null: every organization, actor, module or action. */
export interface AuditFilter extends AuditRange {
  readonly organizationId: string | null;
  readonly actor: string | null;
  readonly moduleId: string | null;
  readonly action: AuditAction | null;
}

export async function listAudit(
  database: Database,
  { organizationId, actor, moduleId, action, from, to }: AuditFilter,
  page: PageRequest,
): Promise<Page<AuditEntryModel>> {
  const query = AuditEntryModel.query(database).where({
    ...(organizationId !== null && { organizationId }),
    ...(actor !== null && { actor }),
    ...(moduleId !== null && { moduleId }),
    ...(action !== null && { action }),
  });
  if (from !== null) void query.where('createdAt', '>=', from);
  if (to !== null) void query.where('createdAt', '<', to);
  return keysetPage(query, page);
}

/** All entries of the filter, newest first, in batches. */
export function readAudit(database: Database, filter: AuditFilter) {
  return inPages((page) => listAudit(database, filter, page));
}
