import { useState } from 'preact/hooks';
import { Figures } from '../parts/facts.tsx';
import { Checkbox } from '../parts/fields.tsx';
import { ImportHistory } from '../parts/import-history.tsx';
import { Loaded } from '../parts/lists.tsx';
import { PageHead, Section } from '../parts/page.tsx';
import type { ModuleImport } from '../server/call-api.ts';
import { useEvery, useList, useResource } from '../server/use-resource.ts';
import { useFormats, useTexts } from '../texts/language.ts';
import { FailedImports, ImportFacts } from './failed-imports.tsx';
import { Organizations } from './organizations.tsx';
import { Modules, modulesAddress } from './quarantined-modules.tsx';
import { Reviews } from './reviews.tsx';
import { ImportCharts, UsageTable } from './statistics.tsx';

const REFRESH_MS = 5_000;

/** The operator's view: backlog of imports and deliveries, workers and the imports of every organization. */
export function OperationsPage() {
  const { common, operator } = useTexts();
  return (
    <>
      <PageHead title={common.pages.operations} lead={operator.lead}>
        <a role="button" class="secondary outline" href="/portal/operations/auditLog">
          {common.pages.auditLog}
        </a>
      </PageHead>
      <Imports />
      <Organizations />
      <UsageTable />
    </>
  );
}

function Backlog() {
  const { operator, statistics } = useTexts();
  const format = useFormats();
  const backlog = useResource('/operations/backlog');
  const workers = useResource('/operations/workers?limit=200');
  useEvery(REFRESH_MS, () => {
    void backlog.reload();
    void workers.reload();
  });
  const count = workers.value?.items.length;
  const seconds = (value: number) => operator.seconds(format.number(value, 0));
  return (
    <Loaded of={backlog}>
      {({ queued, running, oldestWaitingSeconds, deliveries }) => (
        <Figures
          of={[
            [operator.waiting, format.number(queued)],
            [operator.running, format.number(running)],
            [statistics.longestWait, seconds(oldestWaitingSeconds)],
            [operator.workers, count === undefined ? '…' : format.number(count)],
            [operator.deliveries.waiting, format.number(deliveries.waiting)],
            [operator.deliveries.oldest, seconds(deliveries.oldestWaitingSeconds)],
            [operator.deliveries.failing, format.number(deliveries.failingWebhooks)],
            [operator.deliveries.longestFailing, seconds(deliveries.longestFailingSeconds)],
          ]}
        />
      )}
    </Loaded>
  );
}

/** What waits for an operator, then how imports are doing. */
function Imports() {
  const { common, operator, vendor } = useTexts();
  const [isFailedOnly, setFailedOnly] = useState(false);
  const imports = useList(
    isFailedOnly ? '/operations/imports?limit=100&status=failed' : '/operations/imports?limit=100',
  );
  // Largest first: an import that failed is stored, so its organization comes before those that have imported nothing.
  const usage = useResource('/operations/usage?limit=200').value?.items ?? [];
  const organizations = usage.map((each) => [each.organizationId, each.organizationName] as const);
  const nameOf = (wanted: string) => organizations.find(([id]) => id === wanted)?.[1] ?? wanted;
  const [searched, setSearched] = useState('');
  const modules = useList(modulesAddress(searched));
  return (
    <>
      <Reviews onQuarantine={modules.reload} />
      <FailedImports {...{ organizations, nameOf }} onChange={imports.reload} />
      <Modules of={modules} searched={searched} onSearch={setSearched} />
      <Backlog />
      <ImportCharts />
      <Section
        title={common.pages.imports}
        isRegion
        actions={
          <Checkbox checked={isFailedOnly} onChange={setFailedOnly}>
            {operator.failedOnly}
          </Checkbox>
        }
      >
        <ImportHistory
          of={imports}
          empty={isFailedOnly ? operator.noneFailed : vendor.imports.none}
          lead={(item) => (
            <>
              {nameOf(item.organizationId)} · <Duration item={item} />
            </>
          )}
          facts={(item) => <ImportFacts item={item} organization={nameOf(item.organizationId)} />}
        />
      </Section>
    </>
  );
}

const SECOND_MS = 1_000;

function Duration({ item }: { readonly item: ModuleImport }) {
  const { operator } = useTexts();
  const format = useFormats();
  if (item.finishedAt === null) return null;
  const durationMs = Date.parse(item.finishedAt) - Date.parse(item.createdAt);
  return <>{operator.took(format.number(durationMs / SECOND_MS, 1))} · </>;
}
