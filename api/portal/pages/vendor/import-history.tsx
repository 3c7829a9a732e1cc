import { ImportBadge } from '../parts/badge.tsx';
import { ItemList } from '../parts/item-list.tsx';
import { Time } from '../parts/time.tsx';
import type { ModuleImport } from '../server/answers.ts';
import { useList } from '../server/use-resource.ts';
import { formatBytes } from '../texts/formats.ts';
import { useLanguage, useTexts } from '../texts/language.ts';
import { ProblemList } from './problem-list.tsx';

/** Imports of a list's address, newest first, each with its problems. */
export function ImportHistory({ path }: { readonly path: string }) {
  const { vendor } = useTexts();
  const list = useList<ModuleImport>(path);
  return (
    <ItemList of={list} empty={vendor.imports.none} class="history">
      {(each) => <HistoryItem key={each.importId} item={each} />}
    </ItemList>
  );
}

function HistoryItem({ item }: { readonly item: ModuleImport }) {
  const { vendor } = useTexts();
  const language = useLanguage();
  const found = item.errors.length + item.warnings.length;
  return (
    <li>
      <details>
        <summary>
          <ImportBadge status={item.status} />
          <span class="history-name">{item.fileName ?? '–'}</span>
          <span class="quiet">
            <Time value={item.createdAt} /> · {formatBytes(language, item.sizeBytes)}
            {item.validateOnly && <> · {vendor.imports.check}</>}
            {item.outcome !== null && <> · {vendor.imports.outcome[item.outcome]}</>}
            {item.revision !== null && (
              <>
                {' '}
                · {vendor.revision} {item.revision}
              </>
            )}
          </span>
        </summary>
        {found === 0 ? <p class="quiet">{vendor.imports.noProblems}</p> : <ProblemList item={item} />}
      </details>
    </li>
  );
}
