import { useState } from 'preact/hooks';
import { Select } from '../parts/fields.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { ImportHistory } from '../parts/import-history.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useAction } from '../parts/use-action.ts';
import type { OperatorImport } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { ImportFacts } from './import-facts.tsx';

interface FailedImportsProps {
  readonly organizations: readonly { readonly id: string; readonly name: string }[];
  readonly nameOf: (organizationId: string) => string;
  /** Called when an import was retried or dismissed. */
  readonly onChange: () => Promise<void>;
}

/** What needs an operator: failed imports with their causes, to retry or dismiss. */
export function FailedImports({ organizations, nameOf, onChange }: FailedImportsProps) {
  const { operator } = useTexts();
  const [organizationId, setOrganization] = useState('');
  const filter = organizationId === '' ? '' : `organizationId=${organizationId}`;
  const failed = useList(`/operations/imports?limit=100&status=failed&dismissed=false&${filter}`);
  const changed = async () => {
    await Promise.all([failed.reload(), onChange()]);
  };
  const whose = organizationId === '' ? operator.failed.all : nameOf(organizationId);
  return (
    <section aria-label={operator.failed.title}>
      <div class="section-head">
        <h2>{operator.failed.title}</h2>
        <Select
          label={operator.failed.organization}
          value={organizationId}
          onChange={setOrganization}
          options={[['', operator.failed.all], ...organizations.map(({ id, name }) => [id, name] as const)]}
        />
        {failed.value?.some(({ canRetry }) => canRetry) === true && (
          <RetryAll filter={filter} whose={whose} onRetried={changed} />
        )}
      </div>
      <p class="quiet">{operator.failed.lead}</p>
      <ImportHistory
        of={failed}
        empty={operator.noneFailed}
        lead={(item) => <>{nameOf(item.organizationId)} · </>}
        facts={(item) => <ImportFacts item={item} organization={nameOf(item.organizationId)} />}
        action={(item) => <Actions item={item} onChange={changed} />}
      />
    </section>
  );
}

interface RetryAllProps {
  /** A query; empty: the imports of all organizations. */
  readonly filter: string;
  readonly whose: string;
  readonly onRetried: () => Promise<void>;
}

function RetryAll({ filter, whose, onRetried }: RetryAllProps) {
  const { operator } = useTexts();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <button type="button" class="outline" onClick={() => setAsking(true)}>
        {operator.failed.retryAll}
      </button>
      {isAsking && (
        <FormDialog
          title={operator.failed.retryAll}
          action={operator.failed.retryAll}
          onClose={() => setAsking(false)}
          onSubmit={async () => {
            await callApi('POST', `/operations/imports/retry?${filter}`);
            setAsking(false);
            await onRetried();
          }}
        >
          <p>{operator.failed.retryAllOf(whose)}</p>
        </FormDialog>
      )}
    </>
  );
}

interface ActionsProps {
  readonly item: OperatorImport;
  readonly onChange: () => Promise<void>;
}

function Actions({ item: { fileName, importId, canRetry }, onChange }: ActionsProps) {
  const { operator } = useTexts();
  const { isBusy, error, run } = useAction(async (verb: 'retry' | 'dismiss') => {
    await callApi('POST', `/operations/imports/${importId}/${verb}`);
    await onChange();
  });
  const verbs = canRetry ? (['retry', 'dismiss'] as const) : (['dismiss'] as const);
  return (
    <>
      <ProblemNote error={error} />
      {verbs.map((verb) => (
        <button
          key={verb}
          type="button"
          class={verb === 'retry' ? 'small' : 'small secondary outline'}
          disabled={isBusy}
          aria-label={`${operator[verb]}: ${fileName ?? importId}`}
          onClick={() => void run(verb)}
        >
          {operator[verb]}
        </button>
      ))}
    </>
  );
}
