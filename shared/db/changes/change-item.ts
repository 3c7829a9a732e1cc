import { dateTimeText } from '../../structures/text-rules.ts';
import type { Row } from '../rows.ts';
import type { ChangeSubject, ChangeType } from './change-types.ts';

/** A change, as it is stored; organization null: it concerns no single farmer. */
export interface StoredChange extends Readonly<
  Pick<Row<'changes'>, 'position' | 'id' | 'organizationId' | 'at'>
> {
  readonly type: ChangeType;
  readonly subject: ChangeSubject;
}

/** A place in the order of changes: after the change at a position. */
export interface ChangeCursor {
  readonly position: number;
  /** The start of that change's ID; null: the change is no longer kept, or the place is before the first one. */
  readonly mark: string | null;
}

/** Before the oldest change that is kept. */
export const OLDEST: ChangeCursor = { position: 0, mark: null };

/** The text of a cursor, which back ends store. */
export function cursorText({ position, mark }: ChangeCursor): string {
  return mark === null ? String(position) : `${position}-${mark}`;
}

/** The cursor of a text; null if no text of this service. */
export function parseCursor(text: string): ChangeCursor | null {
  const [, position, mark = null] = /^(\d{1,15})(?:-([\da-f]{8}))?$/.exec(text) ?? [];
  return position === undefined ? null : { position: Number(position), mark };
}

export function cursorAfter({ position, id }: Pick<StoredChange, 'position' | 'id'>): ChangeCursor {
  return { position, mark: id.slice(0, 8) };
}

/** A change, as the feed lists it and webhooks deliver it: the IDs of what changed stand beside its own. */
export function changeItem(change: StoredChange) {
  const { id, type, at, organizationId, subject } = change;
  const cursor = cursorText(cursorAfter(change));
  return { id, cursor, type, at: dateTimeText(at), organizationId, ...subject };
}
