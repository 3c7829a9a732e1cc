import type { ComponentChildren } from 'preact';
import type { Resource, ResourceList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { Button, ProblemNote, useNarrow } from './page.tsx';

interface LoadedProps<Body> {
  readonly of: Resource<Body>;
  readonly children: (value: Body) => ComponentChildren;
}

/** What was fetched, and why it could not be read again if so; before that, the state or failure of the fetch. */
export function Loaded<Body>({ of, children }: LoadedProps<Body>) {
  const { common } = useTexts();
  if (of.value !== null)
    return (
      <>
        {children(of.value)}
        <ProblemNote error={of.error} />
      </>
    );
  if (of.error === null) return <p aria-busy="true">{common.loading}</p>;
  return (
    <>
      <ProblemNote error={of.error} />
      <Button text={common.tryAgain} class="outline" onClick={of.reload} />
    </>
  );
}

interface LoadedListProps<Item> {
  readonly of: ResourceList<Item>;
  /** The content if there are no items. */
  readonly empty: ComponentChildren;
  /** Whether items that come later are announced. */
  readonly isLive?: boolean;
  readonly children: (items: readonly Item[]) => ComponentChildren;
}

/** A list that was fetched, with a button for its next page. */
export function LoadedList<Item>({ of, empty, isLive = false, children }: LoadedListProps<Item>) {
  const { common } = useTexts();
  const show = (items: readonly Item[]) =>
    items.length === 0 ? <div class="empty">{empty}</div> : children(items);
  return (
    <>
      <Loaded of={of}>
        {(items) =>
          isLive ? (
            // Around an empty list too, else the first item is not announced; and no text that only changes, as times do.
            <div aria-live="polite" aria-relevant="additions">
              {show(items)}
            </div>
          ) : (
            show(items)
          )
        }
      </Loaded>
      {of.readMore !== null && <Button text={common.more} class="secondary outline" onClick={of.readMore} />}
    </>
  );
}

interface ItemListProps<Item> extends Omit<LoadedListProps<Item>, 'children'> {
  readonly class: 'cards' | 'stack' | 'history';
  /** An item, as a list item with a key. */
  readonly children: (item: Item) => ComponentChildren;
}

/** The same as a list of elements. */
export function ItemList<Item>({ class: kind, children, ...list }: ItemListProps<Item>) {
  return (
    <LoadedList {...list}>{(items) => <ul class={`plain ${kind}`}>{items.map(children)}</ul>}</LoadedList>
  );
}

/** A column of a table: its name, what it shows of an item, and how. */
export type Column<Item> = readonly [
  name: string,
  show: (item: Item, index: number) => ComponentChildren,
  kind?: 'head' | 'path' | 'number' | 'row-actions',
];

interface TableProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly columns: readonly Column<Item>[];
  /** An item in a sentence, which a phone shows in place of its row; without it, the table scrolls there. */
  readonly sentence?: (item: Item) => ComponentChildren;
  /** The buttons of an item. */
  readonly actions?: (item: Item) => ComponentChildren;
  /** Whether the reader can change nothing, so that there are no buttons. */
  readonly isReadOnly?: boolean;
}

/** A table that scrolls by itself on a narrow page, with the keyboard too. */
export function Table<Item>(props: TableProps<Item>) {
  const { label, items, columns, sentence, actions, isReadOnly } = props;
  const { common } = useTexts();
  const isNarrow = useNarrow();
  if (isNarrow && sentence !== undefined) return <Sentences {...props} sentence={sentence} />;
  const all: readonly Column<Item>[] =
    actions === undefined || isReadOnly === true
      ? columns
      : [...columns, [common.actions, actions, 'row-actions']];
  return (
    <div class="table" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {all.map(([name]) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item, index) => (
            <tr key={keyOf(item) ?? index}>
              {all.map(([name, show, kind]) =>
                kind === 'head' ? (
                  <th key={name} scope="row">
                    {show(item, index)}
                  </th>
                ) : (
                  <td key={name} class={kind}>
                    {show(item, index)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type SentencesProps<Item> = TableProps<Item> & Required<Pick<TableProps<Item>, 'sentence'>>;

/** The same on a phone: a sentence a row, and below it the buttons. */
function Sentences<Item>({ label, items, sentence, actions, isReadOnly }: SentencesProps<Item>) {
  return (
    <ul class="plain lines" aria-label={label}>
      {items.map((item, index) => (
        <li key={keyOf(item) ?? index}>
          {sentence(item)}
          {isReadOnly !== true && <div class="row">{actions?.(item)}</div>}
        </li>
      ))}
    </ul>
  );
}

/** The ID of an item that has one: what its buttons say stays with it when the list is read again. */
function keyOf(item: unknown): string | null {
  if (typeof item !== 'object' || item === null) return null;
  if ('id' in item) return String(item.id);
  return 'subject' in item ? String(item.subject) : null;
}

interface ListTableProps<Item> extends Omit<TableProps<Item>, 'items'> {
  readonly of: ResourceList<Item>;
  /** The content if there are no items. */
  readonly empty: string;
}

/** A list that was fetched, as a table. */
export function ListTable<Item>({ of, empty, ...table }: ListTableProps<Item>) {
  return (
    <LoadedList of={of} empty={empty}>
      {(items) => <Table {...table} items={items} />}
    </LoadedList>
  );
}
