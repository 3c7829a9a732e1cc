/**
 * The SQL of the revision number of a module (the alias of its row) that an organization (the SQL of its ID) sees: the
 * newest staged one that it previews, else the ring's if it is among the ring, else the current one. Null: for this
 * organization the module does not exist. Everything that farmers, their installations and rules, machine access and
 * applications read depends on this.
 */
export function visibleRevision(module: string, organizationId: string): string {
  return `coalesce(
    case when ${module}.previewed_revisions <> '{}' then (select max(p.revision) from revision_previewers p
      where p.module_id = ${module}.id and p.organization_id = ${organizationId}) end,
    case when ${module}.ring_revision is not null
      and (${organizationId} = any(${module}.ring_organization_ids) or ${share(module, organizationId)} < ${module}.ring_percent)
      then ${module}.ring_revision end,
    ${module}.current_revision)`;
}

/** The SQL of the revision numbers of a module that any organization sees, as an array. */
export function visibleRevisions(module: string): string {
  return `(array_remove(array[${module}.current_revision, ${module}.ring_revision], null) || ${module}.previewed_revisions)`;
}

/** The SQL of the assignments to `modules` that end a module's ring where a condition holds. */
export function endOfRing(condition: string): string {
  return `ring_revision = case when not ${condition} then modules.ring_revision end,
        ring_organization_ids = case when ${condition} then '{}' else modules.ring_organization_ids end,
        ring_percent = case when not ${condition} then modules.ring_percent end`;
}

/** Where in 0 to 99 an organization is among all: it depends on the module, so that no organization is always the first. */
function share(module: string, organizationId: string): string {
  const hash = `md5((${organizationId})::text || ${module}.id::text)`;
  return `('x' || substr(${hash}, 1, 8))::bit(32)::bigint % 100`;
}

/** The SQL of the newest revision of a module that is kept. */
export function newestRevision(module: string): string {
  return `(select max(n.revision) from module_revisions n where n.module_id = ${module}.id)`;
}

/** The SQL of the revision that a module's vendor is shown: the current one, or the newest while none is released. */
export function shownRevision(module: string): string {
  return `coalesce(${module}.current_revision, ${newestRevision(module)})`;
}
