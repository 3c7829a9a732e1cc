import type { Database } from '../../shared/db/database.ts';

interface Statement {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

/** How PostgreSQL ran a statement. */
export interface StatementPlan {
  readonly sql: string;
  /** Its steps, such as `Index Scan of imports`. */
  readonly steps: readonly string[];
  /** The rows that all its scans read, including those that a filter dropped. */
  readonly rowsRead: number;
  /** Pages of tables and indexes. */
  readonly pages: number;
}

/**
 * Runs what an action sends to the database, each statement first under EXPLAIN ANALYZE on the state that it finds, and
 * then undoes everything.
 */
export async function planStatements(
  database: Database,
  act: (transaction: Database) => Promise<unknown>,
): Promise<readonly StatementPlan[]> {
  const statements = await recordStatements(database, act);
  const plans: StatementPlan[] = [];
  await rolledBack(database, async (transaction) => {
    for (const { sql, bindings } of statements) {
      const explain = `explain (analyze, buffers, format json) ${sql}`;
      // The rows of EXPLAIN have one column, whose name has spaces.
      const { rows } = await transaction.raw<{ rows: Record<string, [{ Plan: PlanNode }]>[] }>(explain, [
        ...bindings,
      ] as string[]);
      const [plan] = Object.values(rows[0] ?? {});
      if (plan !== undefined) plans.push(summary(sql, plan[0].Plan));
    }
  });
  return plans;
}

async function recordStatements(
  database: Database,
  act: (transaction: Database) => Promise<unknown>,
): Promise<readonly Statement[]> {
  const statements: Statement[] = [];
  await rolledBack(database, async (transaction) => {
    transaction.on('query', ({ sql, bindings = [] }: { sql: string; bindings?: unknown[] }) => {
      // EXPLAIN numbers its parameters as Knex does before it sends them.
      if (/^\s*(?:select|with|insert|update|delete)/i.test(sql))
        statements.push({ sql: unnumbered(sql), bindings });
    });
    await act(transaction);
  });
  return statements;
}

const unnumbered = (sql: string) => sql.replaceAll(/\$\d+/g, '?');

async function rolledBack(
  database: Database,
  act: (transaction: Database) => Promise<unknown>,
): Promise<void> {
  const transaction = await database.transaction();
  try {
    await act(transaction);
  } finally {
    await transaction.rollback();
  }
}

function summary(sql: string, plan: PlanNode): StatementPlan {
  const nodes = allNodes(plan);
  const scans = nodes.filter(
    (node) => node['Relation Name'] !== undefined && node['Node Type'].endsWith('Scan'),
  );
  return {
    sql,
    steps: nodes.map((node) =>
      [node['Node Type'], ...(node['Relation Name'] === undefined ? [] : ['of', node['Relation Name']])].join(
        ' ',
      ),
    ),
    rowsRead: scans.reduce(
      (sum, node) =>
        sum + node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)),
      0,
    ),
    pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
  };
}

function allNodes(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(allNodes)];
}
