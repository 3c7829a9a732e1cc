import type { ComponentChildren } from 'preact';
import type { ResourceList } from '../server/use-resource.ts';
import { Loaded, More } from './loaded.tsx';

interface ItemListProps<Item> {
  readonly of: ResourceList<Item>;
  /** What is said where there are none. */
  readonly empty: string;
  readonly class: 'cards' | 'stack' | 'history';
  /** An item, as a list item with a key. */
  readonly children: (item: Item) => ComponentChildren;
}

/** A list that was read, the way to its next page, or that there is nothing in it. */
export function ItemList<Item>({ of, empty, class: kind, children }: ItemListProps<Item>) {
  return (
    <>
      <Loaded of={of}>
        {(items) =>
          items.length === 0 ? (
            <p class="empty">{empty}</p>
          ) : (
            <ul class={kind} aria-live={kind === 'stack' ? 'polite' : undefined}>
              {items.map(children)}
            </ul>
          )
        }
      </Loaded>
      <More of={of} />
    </>
  );
}
