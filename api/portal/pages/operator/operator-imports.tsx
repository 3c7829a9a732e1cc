import { ImportBadge } from '../parts/badge.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import type { List, ModuleImport } from '../server/answers.ts';
import { useResource } from '../server/use-resource.ts';
import { formatNumber } from '../texts/formats.ts';
import { useLanguage, useTexts } from '../texts/language.ts';

interface OperatorImportsProps {
  readonly imports: readonly ModuleImport[];
  /** What is told where there are none. */
  readonly empty: string;
  readonly isBusy: boolean;
  readonly onRetry: (importId: string) => void;
}

/** Imports of all organizations, each with its time; one that failed can be tried again. */
export function OperatorImports({ imports, empty, isBusy, onRetry }: OperatorImportsProps) {
  const { common, operator, vendor } = useTexts();
  const names = useOrganizationNames();
  if (imports.length === 0) return <p class="empty">{empty}</p>;
  const columns = [operator.organization, vendor.imports.file, common.status, vendor.imports.started];
  return (
    <Table label={operator.imports} columns={[...columns, operator.duration, common.actions]}>
      {imports.map((item) => (
        <tr key={item.importId}>
          <td>{names.get(item.organizationId) ?? item.organizationId}</td>
          <td class="path">{item.fileName ?? '–'}</td>
          <td>
            <ImportBadge status={item.status} />
          </td>
          <td>
            <Time value={item.createdAt} />
          </td>
          <td class="number">
            <Duration item={item} />
          </td>
          <td class="row-actions">
            {item.status === 'failed' && (
              <button
                type="button"
                class="small"
                disabled={isBusy}
                aria-label={`${operator.retry}: ${item.fileName ?? item.importId}`}
                onClick={() => {
                  onRetry(item.importId);
                }}
              >
                {operator.retry}
              </button>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

const SECOND_MS = 1_000;

function Duration({ item }: { readonly item: ModuleImport }) {
  const { operator } = useTexts();
  const language = useLanguage();
  if (item.finishedAt === null) return <>–</>;
  const durationMs = Date.parse(item.finishedAt) - Date.parse(item.createdAt);
  return <>{operator.seconds(formatNumber(language, durationMs / SECOND_MS, 1))}</>;
}

function useOrganizationNames(): ReadonlyMap<string, string> {
  const { value } =
    useResource<List<{ readonly id: string; readonly name: string }>>('/organizations?limit=200');
  return new Map((value?.items ?? []).map(({ id, name }) => [id, name]));
}
