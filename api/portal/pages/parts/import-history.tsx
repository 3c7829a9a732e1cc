import type { ComponentChildren } from 'preact';
import type { Issue, ModuleImport } from '../server/call-api.ts';
import type { ResourceList } from '../server/use-resource.ts';
import { useFormats, useTexts } from '../texts/language.ts';
import { Badge, ImportBadge, Time } from './facts.tsx';
import { ItemList } from './lists.tsx';

interface ImportHistoryProps<Item extends ModuleImport> {
  readonly of: ResourceList<Item>;
  readonly empty: string;
  /** Said of an import before its time. */
  readonly lead?: (item: Item) => ComponentChildren;
  /** Further details of an import. */
  readonly facts?: (item: Item) => ComponentChildren;
  /** The actions on an import. */
  readonly action?: (item: Item) => ComponentChildren;
}

/** Imports, newest first, each with its issues. */
export function ImportHistory<Item extends ModuleImport>({
  of,
  empty,
  lead,
  facts,
  action,
}: ImportHistoryProps<Item>) {
  const { vendor } = useTexts();
  return (
    <ItemList of={of} empty={empty} class="history">
      {(item) => (
        <li key={item.importId} class="row">
          <details>
            <Summary item={item}>{lead?.(item)}</Summary>
            {facts?.(item)}
            {item.errors.length + item.warnings.length > 0 ? (
              <IssueList item={item} />
            ) : (
              facts === undefined && <p class="quiet">{vendor.imports.noProblems}</p>
            )}
          </details>
          {action?.(item)}
        </li>
      )}
    </ItemList>
  );
}

function Summary({ item, children }: { readonly item: ModuleImport; readonly children: ComponentChildren }) {
  const { common, vendor } = useTexts();
  const format = useFormats();
  const { status, fileName, createdAt, sizeBytes, validateOnly, outcome, revision } = item;
  return (
    <summary class="row">
      <ImportBadge status={status} />
      <strong>{fileName ?? '–'}</strong>
      <span class="quiet">
        {children}
        <Time value={createdAt} /> · {format.bytes(sizeBytes)}
        {validateOnly && ` · ${vendor.imports.check}`}
        {outcome !== null && ` · ${vendor.imports.outcome[outcome]}`}
        {revision !== null && ` · ${common.revision} ${revision}`}
      </span>
    </summary>
  );
}

/** All issues of an import by file, each with its location and a link to its explanation. */
export function IssueList({ item: { errors, warnings, unlistedErrors } }: { readonly item: ModuleImport }) {
  const texts = useTexts().vendor.problems;
  const issues = [...errors, ...warnings];
  const entries = new Set(issues.map(({ entry = '' }) => entry));
  return (
    <div class="problems">
      {[...entries].map((file) => (
        <section key={file}>
          <h2>{file === '' ? texts.archive : <code>{file}</code>}</h2>
          <ul class="plain lines">
            {issues
              .filter(({ entry = '' }) => entry === file)
              .map((each, index) => (
                <IssueItem key={index} issue={each} />
              ))}
          </ul>
        </section>
      ))}
      {unlistedErrors.map(({ code, count }) => (
        <p class="quiet" key={code}>
          {texts.more(count, code)}
        </p>
      ))}
    </div>
  );
}

function IssueItem({ issue }: { readonly issue: Issue }) {
  const texts = useTexts().vendor.problems;
  const { code, detail, severity, pointer = '', line, column, offset } = issue;
  return (
    <li>
      <Badge tone={severity === 'warning' ? 'warn' : 'bad'}>{texts[severity]}</Badge> {detail}
      <div class="row quiet">
        {pointer !== '' && <code>{pointer}</code>}
        {line !== undefined && <span>{texts.line(line, column ?? null)}</span>}
        {offset !== undefined && <span>{texts.byte(offset)}</span>}
        <a href={`/problems/${code}`} target="_blank" rel="noreferrer">
          {code}
        </a>
      </div>
    </li>
  );
}
