import type { ComponentChildren } from 'preact';
import { Section } from '../parts/page.tsx';
import type { ResourceList } from '../server/use-resource.ts';
import { useFormats } from '../texts/language.ts';

interface AttentionProps {
  readonly title: string;
  readonly of: ResourceList<unknown>;
  /** What the only line says while the list is empty. */
  readonly empty: string;
  readonly actions: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A list that waits for an operator, with its number of items; a line while it is empty. */
export function Attention({ title, of, empty, actions, children }: AttentionProps) {
  const { number } = useFormats();
  const { value, readMore } = of;
  if (value?.length === 0)
    return (
      <section class="row apart section-head" aria-label={title}>
        <p class="quiet">{empty}</p>
        {actions}
      </section>
    );
  const count = value === null ? {} : { count: `${number(value.length)}${readMore === null ? '' : '+'}` };
  return (
    <Section {...{ title, actions, ...count }} isRegion>
      {children}
    </Section>
  );
}
