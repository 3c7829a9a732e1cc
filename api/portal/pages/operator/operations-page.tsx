import { useState } from 'preact/hooks';
import { Loaded, More } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useAction } from '../parts/use-action.ts';
import { useEvery } from '../parts/use-every.ts';
import type { Backlog, ModuleImport, Worker } from '../server/answers.ts';
import { callApi } from '../server/call-api.ts';
import { useList, useResource } from '../server/use-resource.ts';
import { formatNumber } from '../texts/formats.ts';
import { useLanguage, useTexts } from '../texts/language.ts';
import { OperatorImports } from './operator-imports.tsx';

const REFRESH_MS = 5_000;

/** The operator's view: what waits, what works, and every organization's imports. */
export function OperationsPage() {
  const { common, operator } = useTexts();
  const [isFailedOnly, setFailedOnly] = useState(false);
  const imports = useList<ModuleImport>(
    `/operations/imports?limit=100${isFailedOnly ? '&status=failed' : ''}`,
  );
  const { reload } = imports;
  const retry = useAction(async (importId: string) => {
    await callApi('POST', `/operations/imports/${importId}/retry`);
    await reload();
  });
  return (
    <>
      <PageHead title={common.pages.operations} lead={operator.lead}>
        <a role="button" class="secondary outline" href="/queues/">
          {operator.dashboard}
        </a>
      </PageHead>
      <Figures />
      <section>
        <div class="section-head">
          <h2>{operator.imports}</h2>
          <label class="check">
            <input
              type="checkbox"
              checked={isFailedOnly}
              onChange={({ currentTarget }) => {
                setFailedOnly(currentTarget.checked);
              }}
            />
            {operator.failedOnly}
          </label>
        </div>
        <ProblemNote error={retry.error} />
        <Loaded of={imports}>
          {(items) => (
            <OperatorImports
              imports={items}
              empty={isFailedOnly ? operator.noneFailed : operator.none}
              isBusy={retry.isBusy}
              onRetry={(importId) => void retry.run(importId)}
            />
          )}
        </Loaded>
        <More of={imports} />
      </section>
    </>
  );
}

function Figures() {
  const { operator } = useTexts();
  const language = useLanguage();
  const backlog = useResource<Backlog>('/operations/backlog');
  const workers = useResource<{ readonly items: readonly Worker[] }>('/operations/workers');
  useEvery(REFRESH_MS, () => {
    void backlog.reload();
    void workers.reload();
  });
  return (
    <Loaded of={backlog}>
      {({ queued, running, oldestWaitingSeconds }) => (
        <dl class="figures">
          <Figure name={operator.waiting} value={formatNumber(language, queued)} />
          <Figure name={operator.running} value={formatNumber(language, running)} />
          <Figure
            name={operator.oldest}
            value={operator.seconds(formatNumber(language, oldestWaitingSeconds, 0))}
          />
          <Figure
            name={operator.workers}
            value={workers.value === null ? '…' : formatNumber(language, workers.value.items.length)}
          />
        </dl>
      )}
    </Loaded>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div class="card">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
