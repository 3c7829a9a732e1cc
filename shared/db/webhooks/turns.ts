/*
 * Work that waits in line: rows with an organization, under an index that begins with it. Nobody counts the rows. From one
 * that is picked at random, each step goes to the next value of the index, and after the last to the first: what it costs
 * follows from the number of values that are visited, however many rows each has, and no value waits behind all others.
 */

interface Line {
  readonly table: string;
  /** The rows in the line; the index has only these. */
  readonly where: string;
  /** The first column of the index that differs among these rows. */
  readonly column: string;
}

const next = ({ table, where, column }: Line, after: string) => {
  const first = (condition: string) =>
    `(select ${column} from ${table} where ${condition} order by ${column} limit 1)`;
  return `(select coalesce(${first(`${where} and ${column} > ${after}`)}, ${first(where)}) as ${column})`;
};

/** The body of a recursive CTE named `name`: at most `most` different values of a line's column, from a random one on. */
export function valuesInTurn(name: string, line: Line, most: string): string {
  const { column } = line;
  return `
    select f.${column}, f.${column} as first, 1 as number
    from ${next(line, ':start::uuid')} f where f.${column} is not null
    union all
    select n.${column}, t.first, t.number + 1
    from ${name} t cross join lateral ${next(line, `t.${column}`)} n
    where t.number < ${most} and n.${column} <> t.first`;
}

/** The part of `total` that each row of a query gets: together all of it, and each as much as any other but for one. */
export function equalPart(total: string, order: string): string {
  return `(${total} / count(*) over ()
    + case when row_number() over (order by ${order}) <= ${total} % count(*) over () then 1 else 0 end)::int`;
}
