import type { Database } from '../database.ts';

/** A module that is being written is counted the next time. */
const COUNT = `
  with counted as (select module_id, count(*)::int as installations from installations group by module_id),
  changed as (
    select m.id, coalesce(c.installations, 0) as installations
    from modules m left join counted c on c.module_id = m.id
    where m.installations <> coalesce(c.installations, 0)
    for no key update of m skip locked
  )
  update modules m set installations = changed.installations from changed where m.id = changed.id`;

/** Stores how many organizations have each module installed. */
export async function countInstallations(database: Database): Promise<void> {
  await database.raw(COUNT);
}
