import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useArrival } from '../navigation.ts';
import { useTexts } from '../texts/language.ts';

interface PageHeadProps {
  readonly title: string;
  /** The tab that is shown, if the page has tabs. */
  readonly tab?: string | undefined;
  readonly lead?: string | undefined;
  readonly children?: ComponentChildren;
}

/** The head of a page: its title, which is also the document's, and its actions. It gets the focus on arrival. */
export function PageHead({ title, tab, lead, children }: PageHeadProps) {
  const { common } = useTexts();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const names = [tab, title, common.portal].filter((each) => each !== undefined);
    document.title = names.join(' – ');
  }, [title, tab, common]);
  useArrival(heading);
  return (
    <header class="page-head">
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {title}
          {tab !== undefined && <span class="unseen">: {tab}</span>}
        </h1>
        {lead !== undefined && <p class="lead">{lead}</p>}
      </div>
      {children !== undefined && <div class="page-actions">{children}</div>}
    </header>
  );
}

interface SectionProps {
  readonly title: string;
  /** The buttons or inputs beside the title. */
  readonly actions?: ComponentChildren;
  readonly lead?: string;
  /** Whether assistive technology lists it among the parts of the page. */
  readonly isRegion?: boolean;
  readonly children: ComponentChildren;
}

/** A part of a page, with a title. */
export function Section({ title, actions = false, lead, isRegion = false, children }: SectionProps) {
  return (
    <section aria-label={isRegion ? title : undefined}>
      {actions === false ? (
        <h2>{title}</h2>
      ) : (
        <div class="section-head">
          <h2>{title}</h2>
          {actions}
        </div>
      )}
      {lead !== undefined && <p class="lead">{lead}</p>}
      {children}
    </section>
  );
}
