import type { ImportRow } from '../../../shared/db/imports/models.ts';
import type { ModuleModel } from '../../../shared/db/modules/models.ts';
import type { Row } from '../../../shared/db/rows.ts';
import type { NextRevision } from '../../../shared/db/modules/write-revision.ts';
import type { PackageFile } from '../../../shared/package/package-report.ts';
import type { Model } from 'objection';

export type ModuleRow = Omit<ModuleModel, keyof Model>;
export type RevisionRow = NextRevision & { readonly files: readonly PackageFile[]; readonly createdAt: Date };
export interface KeyRow {
  readonly organizationId: string;
  readonly key: string;
  readonly fingerprint: Buffer;
  readonly importId: string;
  readonly expiresAt: Date;
}

/** An archive that is about to be removed. */
export interface FreedRow {
  readonly archiveKey: string;
  readonly archiveBytes: number;
  /** Null: no download reads it. */
  readonly moduleId: string | null;
  readonly freedAt: Date;
}

export type ScopeRow = Omit<Row<'scopes'>, 'registeredAt'>;

export interface Rows {
  readonly imports: ImportRow;
  readonly modules: ModuleRow;
  readonly revisions: RevisionRow;
  readonly scopes: ScopeRow;
  readonly keys: KeyRow;
  readonly freed: FreedRow;
}

/** One row before and after; null: it was or is not there. */
export type Change = {
  [Name in keyof Rows]: {
    readonly table: Name;
    readonly key: string;
    readonly before: Rows[Name] | null;
    readonly after: Rows[Name] | null;
  };
}[keyof Rows];

/** A table in memory. Rows are values: a change replaces one, and is written down so that it can be undone. */
export class Table<Name extends keyof Rows> {
  readonly #name: Name;
  readonly #rows = new Map<string, Rows[Name]>();
  readonly #changes: Change[];

  constructor(name: Name, changes: Change[]) {
    this.#name = name;
    this.#changes = changes;
  }

  get(key: string): Rows[Name] | null {
    return this.#rows.get(key) ?? null;
  }

  all(): Rows[Name][] {
    return [...this.#rows.values()];
  }

  where(test: (row: Rows[Name]) => boolean): Rows[Name][] {
    return this.all().filter(test);
  }

  set(key: string, after: Rows[Name] | null): void {
    this.#changes.push({ table: this.#name, key, before: this.get(key), after } as Change);
    this.restore(key, after);
  }

  /** Changes a row without writing the change down. */
  restore(key: string, row: Rows[Name] | null): void {
    if (row === null) this.#rows.delete(key);
    else this.#rows.set(key, row);
  }
}

/** The tables of the import protocol. */
export class Tables {
  readonly #changes: Change[] = [];
  readonly imports = new Table('imports', this.#changes);
  readonly modules = new Table('modules', this.#changes);
  readonly revisions = new Table('revisions', this.#changes);
  readonly scopes = new Table('scopes', this.#changes);
  readonly keys = new Table('keys', this.#changes);
  readonly freed = new Table('freed', this.#changes);
  /** A sequence: a transaction that is rolled back leaves a gap. */
  acceptanceOrder = 0;

  /** Runs a statement; a failing one changes nothing. */
  record<Result>(statement: () => Result): { readonly result: Result; readonly changes: readonly Change[] } {
    try {
      const result = statement();
      return { result, changes: this.#changes.splice(0) };
    } catch (error) {
      this.undo(this.#changes.splice(0));
      throw error;
    }
  }

  undo(changes: readonly Change[]): void {
    for (const { table, key, before } of changes.toReversed()) this.#restore(table, key, before);
  }

  redo(changes: readonly Change[]): void {
    for (const { table, key, after } of changes) this.#restore(table, key, after);
  }

  #restore(table: keyof Rows, key: string, row: Change['before']): void {
    (this[table] as { restore(key: string, row: Change['before']): void }).restore(key, row);
  }
}
