import type { Database } from './database.ts';
import { onlyRow, queryRows } from './statement.ts';

/** The database of the session. A copy that was restored elsewhere, or made beside it from it as a template, is another. */
const HERE = `system_identifier = (select system_identifier from pg_control_system())
  and database_oid = (select oid from pg_database where datname = current_database())`;

/**
 * The deployment whose prefix new objects get: of this database, made when it is first used. A copy of the database
 * has the rows of its original, and none of its own: so it never writes or removes objects of the original.
 */
export async function currentDeployment(database: Database): Promise<string> {
  return database.transaction(async (transaction) => {
    const [known] = await ownDeployments(transaction);
    if (known !== undefined) return known;
    await transaction.raw('lock table deployments in share row exclusive mode');
    const [made] = await ownDeployments(transaction);
    if (made !== undefined) return made;
    const { id } = await onlyRow<{ id: string }>(
      transaction,
      `insert into deployments (system_identifier, database_oid)
       select system_identifier, (select oid from pg_database where datname = current_database())
       from pg_control_system() returning id`,
    );
    return id;
  });
}

/** The deployments whose objects this database owns, the current one first. */
export async function ownDeployments(database: Database): Promise<readonly string[]> {
  const rows = await queryRows<{ id: string }>(
    database,
    `select id from deployments where ${HERE} order by created_at desc, id`,
  );
  return rows.map(({ id }) => id);
}

/**
 * Makes this database the owner of all objects that it knows, also those of the database that it was restored from,
 * which must not be in use any more. Returns all its deployments.
 */
export async function adoptDeployments(database: Database): Promise<readonly string[]> {
  await currentDeployment(database);
  await database.raw(
    `update deployments set system_identifier = own.system_identifier, database_oid = own.database_oid
     from (select system_identifier, database_oid from deployments where ${HERE} limit 1) as own`,
  );
  return ownDeployments(database);
}
