/** The numbers that vendors and operators read, rolled up. */
export const STATISTICS = `
  -- Calls with a module's keys and its new alerts on a day in UTC.
  create table module_days (
    module_id uuid not null references modules,
    kind text not null check (kind in ('calls', 'alerts')),
    day date not null,
    count bigint not null,
    primary key (module_id, kind, day)
  );
  create index module_days_of_day on module_days (day, kind);

  -- The imports of an hour: those that ended, by status; rejected ones, by the code of a problem; and the longest time
  -- in seconds for which one had waited, whenever that was measured.
  create table import_hours (
    hour timestamptz not null,
    kind text not null check (kind in ('ended', 'rejection', 'wait')),
    name text not null,
    value double precision not null,
    primary key (hour, kind, name)
  );
`;
