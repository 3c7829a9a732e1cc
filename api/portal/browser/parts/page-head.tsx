import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { useTexts } from '../texts/language.ts';

interface PageHeadProps {
  readonly title: string;
  readonly lead?: string | undefined;
  readonly children?: ComponentChildren;
}

/** The head of a page: its title, also the document's, and what can be done. */
export function PageHead({ title, lead, children }: PageHeadProps) {
  const { common } = useTexts();
  useEffect(() => {
    document.title = `${title} – ${common.portal}`;
  }, [title, common]);
  return (
    <header class="page-head">
      <div>
        <h1>{title}</h1>
        {lead !== undefined && <p class="lead">{lead}</p>}
      </div>
      {children !== undefined && <div class="page-actions">{children}</div>}
    </header>
  );
}
