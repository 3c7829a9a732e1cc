import type { ComponentChildren } from 'preact';
import type { Resource, ResourceList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { ProblemNote } from './problem-note.tsx';
import { useAction } from './use-action.ts';

interface LoadedProps<Body> {
  readonly of: Resource<Body>;
  readonly children: (value: Body) => ComponentChildren;
}

/** What was fetched, or that it is being fetched, or why that failed. */
export function Loaded<Body>({ of, children }: LoadedProps<Body>) {
  const { common } = useTexts();
  const { isBusy, run } = useAction(() => of.reload());
  if (of.value !== null) return <>{children(of.value)}</>;
  if (of.error === null) return <p aria-busy="true">{common.loading}</p>;
  return (
    <>
      <ProblemNote error={of.error} />
      <button type="button" class="outline" aria-busy={isBusy} onClick={() => void run()}>
        {common.tryAgain}
      </button>
    </>
  );
}

interface LoadedListProps<Item> {
  readonly of: ResourceList<Item>;
  /** What is shown if there are no items. */
  readonly empty: ComponentChildren;
  readonly children: (items: readonly Item[]) => ComponentChildren;
}

/** A list that was fetched, with a button for its next page. */
export function LoadedList<Item>({ of, empty, children }: LoadedListProps<Item>) {
  const { common } = useTexts();
  const { isBusy, run } = useAction(async () => of.readMore?.());
  return (
    <>
      <Loaded of={of}>
        {(items) => (items.length === 0 ? <div class="empty">{empty}</div> : children(items))}
      </Loaded>
      {of.value !== null && <ProblemNote error={of.error} />}
      {of.readMore !== null && (
        <button type="button" class="secondary outline" aria-busy={isBusy} onClick={() => void run()}>
          {common.more}
        </button>
      )}
    </>
  );
}

interface ItemListProps<Item> extends Omit<LoadedListProps<Item>, 'children'> {
  readonly class: 'cards' | 'stack' | 'history';
  /** An item, as a list item with a key. */
  readonly children: (item: Item) => ComponentChildren;
}

/** The same as a list of elements. Of a stack, new items are announced. */
export function ItemList<Item>({ class: kind, children, ...list }: ItemListProps<Item>) {
  return (
    <LoadedList {...list}>
      {(items) => (
        <ul class={`plain ${kind}`} aria-live={kind === 'stack' ? 'polite' : undefined}>
          {items.map(children)}
        </ul>
      )}
    </LoadedList>
  );
}
