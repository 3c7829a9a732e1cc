import { randomUUID } from 'node:crypto';
import type { Database } from '../../../../shared/db/database.ts';
import { storeModule } from '../../store-module.ts';

/** A module with a key, installed by one organization that has structures. */
export interface SeededModule {
  readonly moduleId: string;
  readonly organizationId: string;
  readonly vendorId: string;
  readonly key: string;
}

/** Farms of `fields` fields with 99 blocks each. */
export interface SeedSize {
  readonly farms: number;
  readonly fields: number;
  readonly blocks: number;
}

/** Writes a module that declares both data areas, a key, an installation, and structures. */
export async function seedModule(database: Database, size: SeedSize): Promise<SeededModule> {
  const { moduleId, vendorId, farmerIds, dataAreaIds, key } = await storeModule(database, 1);
  const [organizationId = ''] = farmerIds;
  await database('installations').insert({
    organizationId,
    moduleId,
    acceptedDataAreaIds: dataAreaIds,
    offeredDataAreaIds: dataAreaIds,
    ...{ offeredRevision: 1, createdBy: '', updatedBy: '' },
  });
  await seedStructures(database, organizationId, size);
  return { moduleId, organizationId, vendorId, key };
}

const MEMBERS = `
  '"id":"' || id || '",' || parent || '"name":"Structure ' || number || '","code":null,"status":"active",'
  || '"externalIds":[],"areaM2":12345.67,"cropId":null,"plantedAt":null,"rowSpacingM":0.75,"plantSpacingM":0.2,'
  || '"irrigationSystemType":null,"createdAt":"2026-11-20T09:30:00.000+00:00","updatedAt":"2026-11-20T09:30:00.000+00:00"'`;

const GEOMETRY = `'{"type":"Polygon","coordinates":[[[10.1,50.1],[10.2,50.1],[10.2,50.2],[10.1,50.1]]]}'`;

const INSERT_FARM = `
  with farm as (select gen_random_uuid() as id, :number::int as number),
  field as (select gen_random_uuid() as id, farm.id as farm_id, n as number from farm, generate_series(1, :fields) n),
  block as (select gen_random_uuid() as id, field.farm_id, field.id as field_id, n as number
    from field, generate_series(1, :blocks) n),
  every as (
    select id, 'farm' as kind, id as farm_id, null::uuid as field_id, 0 as section, id as branch_id, 0 as level,
      '' as parent, number from farm
    union all select id, 'field', farm_id, id, 1, id, 0, '"farmId":"' || farm_id || '",', number from field
    union all select id, 'block', farm_id, field_id, 1, field_id, 1, '"fieldId":"' || field_id || '",', number from block
  )
  insert into structures (organization_id, id, kind, status, farm_id, field_id, section, branch_id, level, members, geometry)
  select :organizationId, id, kind, 'active', farm_id, field_id, section, branch_id, level, ${MEMBERS}, ${GEOMETRY}
  from every order by section, branch_id, level, id`;
const FARMS_BETWEEN_LINES = 20;

/** A farm is a statement, which ends in time on any machine. */
async function seedStructures(
  database: Database,
  organizationId: string,
  { farms, fields, blocks }: SeedSize,
): Promise<void> {
  for (let number = 1; number <= farms; number += 1) {
    await database.raw(INSERT_FARM, { organizationId, number, fields, blocks });
    if (number % FARMS_BETWEEN_LINES === 0) console.log(`structures of ${number} of ${farms} farms written`);
  }
  await database.raw(
    `insert into structure_sets (organization_id, version, structures, bytes, largest_bytes)
     select organization_id, 1, count(*), sum(length(members) + coalesce(length(geometry), 0)),
       max(length(members) + coalesce(length(geometry), 0))
     from structures where organization_id = ? group by organization_id`,
    [organizationId],
  );
}

/** One rule and one farm of the organization, for alerts to refer to. */
export async function seedRule(
  database: Database,
  { moduleId, organizationId }: SeededModule,
): Promise<{ ruleId: string; farmId: string }> {
  const ruleId = randomUUID();
  await database('alert_rules').insert({
    id: ruleId,
    organizationId,
    moduleId,
    criteria: 'temperature',
    ruleValues: JSON.stringify({}),
    enabled: true,
    status: 'active',
    definitionRevision: 1,
    ...{ createdBy: '', updatedBy: '' },
  });
  const farm = await database('structures')
    .where({ organizationId, kind: 'farm' })
    .first<{ id: string }>('id');
  return { ruleId, farmId: farm.id };
}

/** An alert as back ends raise it; those of other sensors are alerts of their own. */
export function frostAlert(ruleId: string, farmId: string, sensor: string) {
  return {
    ruleId,
    target: { type: 'farm', id: farmId },
    status: 'firing',
    severity: 'warning',
    startsAt: '2026-11-20T09:30:00Z',
    title: 'Frost is near',
    message: 'The forecast falls below 2 °C in the night.',
    value: 1.5,
    labels: { sensor },
  };
}
