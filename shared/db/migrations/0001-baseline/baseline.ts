import type { Knex } from 'knex';
import { ACCESS } from './access.ts';
import { ALERTS } from './alerts.ts';
import { CHANGES, REPORTS_OF_REVISIONS } from './changes.ts';
import { IMPORTS } from './imports.ts';
import { MODULES } from './modules.ts';
import { OPERATIONS } from './operations.ts';
import { ORGANIZATIONS } from './organizations.ts';
import { SEARCH } from './search.ts';
import { SESSIONS } from './sessions.ts';
import { STATISTICS } from './statistics.ts';
import { STRUCTURES } from './structures.ts';
import { WEBHOOKS } from './webhooks.ts';
import { OPERATOR_OWNER_ROWS } from '../../webhooks/operator-owner.ts';

/** The schema of the first release: every table with its constraints, indexes and triggers. */
export const name = '0001-baseline';

/** A table follows those that it references. */
const FAMILIES = [
  ORGANIZATIONS,
  MODULES,
  SEARCH,
  IMPORTS,
  ACCESS,
  SESSIONS,
  STRUCTURES,
  ALERTS,
  STATISTICS,
  CHANGES,
  REPORTS_OF_REVISIONS,
  WEBHOOKS,
  OPERATOR_OWNER_ROWS,
  OPERATIONS,
];

export async function up(transaction: Knex): Promise<void> {
  // Knex would replace a question mark, such as that of a JSON path, by a parameter.
  for (const family of FAMILIES) await transaction.raw(family.replaceAll('?', '\\?'));
}
