import type { Knex } from 'knex';

/** An index that a migration makes. */
export interface NewIndex {
  readonly name: string;
  /** Its table, columns and condition, such as `alerts (rule_id) where status = 'firing'`. */
  readonly on: string;
  readonly isUnique?: boolean;
}

/** A change of the schema: statements in one transaction, or indexes, which are made while their tables are written. */
export type Migration =
  | { readonly name: string; up(transaction: Knex): Promise<void> }
  | { readonly name: string; readonly indexes: readonly NewIndex[] };
