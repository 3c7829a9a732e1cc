import { randomUUID } from 'node:crypto';
import type { TestApp, TestOrganization } from './test-app.ts';

/** The numbers and sizes of an organization's structures. */
export interface ManyStructures {
  readonly farmId: string;
  /** The blocks of its one field, in the order of answers. */
  readonly blockIds: readonly string[];
}

/** Stores a farm with this many blocks, each with a name of this length: more than a request may write. */
export async function storeBlocks(
  { api }: TestApp,
  { id: organizationId }: TestOrganization,
  blocks: number,
  nameLength: number,
): Promise<ManyStructures> {
  const [farmId, fieldId] = [randomUUID(), randomUUID()];
  const blockIds = Array.from({ length: blocks }, () => randomUUID()).toSorted();
  const members = `'"id":"' || id || '","name":"' || repeat('x', :nameLength) || '"'`;
  await api.database.raw(
    `with every (id, kind, section, branch_id, level) as (
       values (:farmId::uuid, 'farm', 0, :farmId::uuid, 0), (:fieldId, 'field', 1, :fieldId, 0)
       union all select id, 'block', 1, :fieldId, 1 from unnest(:blockIds::uuid[]) id
     ), stored as (
       insert into structures (organization_id, id, kind, status, farm_id, field_id, section, branch_id, level, members)
       select :organizationId, id, kind, 'active', :farmId, case kind when 'farm' then null else :fieldId::uuid end,
         section, branch_id, level, ${members}
       from every returning length(members) as bytes
     )
     insert into structure_sets (organization_id, version, structures, bytes, largest_bytes)
     select :organizationId, 1, count(*), sum(bytes), max(bytes) from stored`,
    { organizationId, farmId, fieldId, blockIds, nameLength },
  );
  return { farmId, blockIds };
}
