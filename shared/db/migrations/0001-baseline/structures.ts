/** Farm structures. */
export const STRUCTURES = `
  create table structures (
    organization_id uuid not null references organizations,
    id uuid not null,
    kind text not null check (kind in ('farm', 'field', 'block', 'irrigationStation')),
    status text not null check (status in ('active', 'archived')),
    -- The farm that it is or lies in; of a field its own ID, of a block its field's.
    farm_id uuid not null,
    field_id uuid,
    -- Its position in its farm: 0 the farm itself, 1 fields and blocks, 2 irrigation stations; within a
    -- field the field (0) before its blocks (1).
    section smallint not null,
    branch_id uuid not null,
    level smallint not null,
    -- Every member but the geometry, as compact JSON without the outer braces: answers are streams of these.
    members text not null,
    -- Compact GeoJSON: a farm's or field's boundary, a block's geometry, a station's location.
    geometry text,
    -- No foreign keys to the parents: checked row by row they make a bulk write quadratic, since the check's
    -- plan is kept from when the table was small. The one writer checks parents under the organization's lock.
    primary key (organization_id, id)
  );
  -- The order of every answer: farm, its fields each with its blocks, its irrigation stations.
  create unique index structures_in_order on structures (organization_id, farm_id, section, branch_id, level, id);

  -- The version of an organization's structures, from which ETags are made.
  create table structure_sets (
    organization_id uuid primary key references organizations,
    version bigint not null,
    structures integer not null,
    bytes bigint not null,
    -- The most that one structure ever had: how many are read at once depends on it.
    largest_bytes integer not null,
    -- Null before the first structure.
    updated_by text,
    updated_at timestamptz(3) not null default now()
  );
`;
