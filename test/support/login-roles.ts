import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { openDatabase, type Database } from '../../shared/db/database.ts';
import { overTcp, type TestApp } from './test-app.ts';

/** Opens the database as two roles that sign in and both act as a third one, as in `docs/operators.md`. */
export async function asLoginRoles({ api, environment }: TestApp): Promise<readonly [Database, Database]> {
  const role = `acting_${randomUUID().replaceAll('-', '')}`;
  await api.database.raw(`create role ${role} nologin; grant all on all tables in schema public to ${role}`);
  const openAs = async (login: string) => {
    await api.database.raw(`create role ${login} login password 'geheimwort' in role ${role};
      alter role ${login} set role ${role}`);
    const url = new URL(overTcp(environment['DATABASE_URL'] ?? ''));
    [url.username, url.password] = [login, 'geheimwort'];
    const database = openDatabase({ url: url.href, poolSize: 4 });
    onTestFinished(() => database.destroy());
    return database;
  };
  return [await openAs(`${role}_a`), await openAs(`${role}_b`)];
}
