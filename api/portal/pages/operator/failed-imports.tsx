import { useState } from 'preact/hooks';
import { useDialogs } from '../parts/dialogs.tsx';
import { Facts, Time } from '../parts/facts.tsx';
import { Select } from '../parts/fields.tsx';
import { ImportHistory } from '../parts/import-history.tsx';
import { Button, RowButton } from '../parts/page.tsx';
import { callApi, type OperatorImport } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useFormats, useTexts } from '../texts/language.ts';
import { Attention } from './attention.tsx';

interface FailedImportsProps {
  readonly organizations: readonly (readonly [id: string, name: string])[];
  readonly nameOf: (organizationId: string) => string;
  /** Called when an import was retried or dismissed. */
  readonly onChange: () => Promise<void>;
}

/** Failed imports with their causes, for an operator to retry or dismiss. */
export function FailedImports({ organizations, nameOf, onChange }: FailedImportsProps) {
  const { common, operator } = useTexts();
  const texts = operator.failed;
  const [organizationId, setOrganization] = useState('');
  const filter = organizationId === '' ? '' : `organizationId=${organizationId}`;
  const failed = useList(`/operations/imports?limit=100&status=failed&dismissed=false&${filter}`);
  const changed = () => Promise.all([failed.reload(), onChange()]);
  const dialogs = useDialogs(changed);
  const retryAll = () =>
    dialogs.confirm({
      title: texts.retryAll,
      text: texts.retryAllOf(organizationId === '' ? texts.all : nameOf(organizationId)),
      action: texts.retryAll,
      isHarmless: true,
      act: () => callApi('POST', `/operations/imports/retry?${filter}`),
    });
  return (
    <Attention
      title={texts.title}
      of={failed}
      empty={operator.noneFailed}
      actions={
        <>
          {(organizationId !== '' || failed.value?.length !== 0) && (
            <Select
              label={common.organization}
              value={organizationId}
              onChange={setOrganization}
              options={[['', texts.all], ...organizations]}
            />
          )}
          {failed.value?.some(({ canRetry }) => canRetry) === true && (
            <Button text={texts.retryAll} class="outline" onClick={retryAll} />
          )}
        </>
      }
    >
      <p class="quiet">{texts.lead}</p>
      <ImportHistory
        of={failed}
        empty={operator.noneFailed}
        lead={(item) => <>{nameOf(item.organizationId)} · </>}
        facts={(item) => <ImportFacts item={item} organization={nameOf(item.organizationId)} />}
        action={(item) => <Actions item={item} onChange={changed} />}
      />
    </Attention>
  );
}

interface ActionsProps {
  readonly item: OperatorImport;
  readonly onChange: () => Promise<unknown>;
}

function Actions({ item: { fileName, importId, canRetry }, onChange }: ActionsProps) {
  const { operator } = useTexts();
  const run = (verb: 'retry' | 'dismiss') =>
    callApi('POST', `/operations/imports/${importId}/${verb}`).then(onChange);
  const about = fileName ?? importId;
  return (
    <>
      {canRetry && <Button text={operator.retry} about={about} class="small" onClick={() => run('retry')} />}
      <RowButton text={operator.dismiss} about={about} onClick={() => run('dismiss')} />
    </>
  );
}

interface ImportFactsProps {
  readonly item: OperatorImport;
  readonly organization: string;
}

/** The details of an import for operators: its IDs, and the step, cause and times of its failed attempts. */
export function ImportFacts({ item, organization }: ImportFactsProps) {
  const { common, operator, vendor } = useTexts();
  const format = useFormats();
  const { importId, moduleId, failure, dismissedAt } = item;
  const { facts } = operator;
  return (
    <Facts
      of={[
        [facts.importId, <code key="import">{importId}</code>],
        [common.organization, organization],
        [common.module, moduleId && <code key="module">{moduleId}</code>],
        [facts.step, failure && vendor.import.steps[failure.step]],
        [facts.cause, failure && <span key="cause">{failure.cause}</span>],
        [facts.attempts, failure && format.number(failure.attempts)],
        [facts.firstAt, failure && <Time value={failure.firstAt} />],
        [facts.lastAt, failure && <Time value={failure.lastAt} />],
        [facts.dismissedAt, dismissedAt && <Time value={dismissedAt} />],
      ]}
    />
  );
}
