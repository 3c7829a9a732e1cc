import { useState } from 'preact/hooks';
import { LongTextField, TextField } from '../parts/fields.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { LoadedList } from '../parts/loaded.tsx';
import { Time } from '../parts/localized.tsx';
import { Table } from '../parts/table.tsx';
import type { Schemas } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';

type QuarantinedModule = Schemas['QuarantinedModule'];

/** The dialog that is open: for another module, or to lift the quarantine of one. */
type Open = { readonly dialog: 'start' } | { readonly dialog: 'end'; readonly moduleId: string };

interface QuarantinedModulesProps {
  /** The name of an organization. */
  readonly nameOf: (organizationId: string) => string;
}

/** The modules that operators have stopped, to stop another one or to lift a quarantine. */
export function QuarantinedModules({ nameOf }: QuarantinedModulesProps) {
  const texts = useTexts().operator.quarantine;
  const list = useList('/operations/quarantinedModules?limit=100');
  const [open, setOpen] = useState<Open | null>(null);
  const onClose = () => setOpen(null);
  const onChanged = async () => {
    await list.reload();
    onClose();
  };
  return (
    <section>
      <div class="section-head">
        <h2>{texts.title}</h2>
        <button type="button" class="outline" onClick={() => setOpen({ dialog: 'start' })}>
          {texts.start}
        </button>
      </div>
      <p class="quiet">{texts.lead}</p>
      <LoadedList of={list} empty={texts.none}>
        {(modules) => (
          <QuarantineTable
            modules={modules}
            nameOf={nameOf}
            onEnd={(moduleId) => setOpen({ dialog: 'end', moduleId })}
          />
        )}
      </LoadedList>
      {open?.dialog === 'start' && <StartDialog onChanged={onChanged} onClose={onClose} />}
      {open?.dialog === 'end' && (
        <EndDialog moduleId={open.moduleId} onChanged={onChanged} onClose={onClose} />
      )}
    </section>
  );
}

interface QuarantineTableProps extends QuarantinedModulesProps {
  readonly modules: readonly QuarantinedModule[];
  readonly onEnd: (moduleId: string) => void;
}

function QuarantineTable({ modules, nameOf, onEnd }: QuarantineTableProps) {
  const { common, operator } = useTexts();
  const texts = operator.quarantine;
  return (
    <Table
      label={texts.title}
      columns={[texts.module, texts.vendor, texts.reason, texts.since, common.actions]}
    >
      {modules.map(({ moduleId, organizationId, scope, quarantine }) => (
        <tr key={moduleId}>
          <td>
            {scope !== null && <div>{scope}</div>}
            <code>{moduleId}</code>
          </td>
          <td>{nameOf(organizationId)}</td>
          <td>{quarantine?.reason}</td>
          <td>{quarantine !== null && <Time value={quarantine.at} />}</td>
          <td class="row-actions">
            <button
              type="button"
              class="small secondary outline"
              aria-label={`${texts.end}: ${scope ?? moduleId}`}
              onClick={() => onEnd(moduleId)}
            >
              {texts.end}
            </button>
          </td>
        </tr>
      ))}
    </Table>
  );
}

interface DialogProps {
  readonly onChanged: () => Promise<void>;
  readonly onClose: () => void;
}

const MAX_LENGTH = 2_000;

function StartDialog({ onChanged, onClose }: DialogProps) {
  const texts = useTexts().operator.quarantine;
  const [moduleId, setModuleId] = useState('');
  const [reason, setReason] = useState('');
  const submit = async () => {
    const wanted = encodeURIComponent(moduleId.trim());
    await callApi('POST', `/operations/modules/${wanted}/quarantine`, { reason });
    await onChanged();
  };
  return (
    <FormDialog title={texts.start} action={texts.startAction} onSubmit={submit} onClose={onClose}>
      <p>{texts.startText}</p>
      <TextField
        {...{ label: texts.moduleId, hint: texts.moduleIdHint, type: 'text' }}
        {...{ value: moduleId, onInput: setModuleId, autocomplete: 'off' }}
        required
      />
      <LongTextField
        {...{ label: texts.reason, hint: texts.reasonHint, value: reason, onInput: setReason }}
        required
        maxLength={MAX_LENGTH}
      />
    </FormDialog>
  );
}

function EndDialog({ moduleId, onChanged, onClose }: DialogProps & { readonly moduleId: string }) {
  const texts = useTexts().operator.quarantine;
  const submit = async () => {
    await callApi('DELETE', `/operations/modules/${moduleId}/quarantine`);
    await onChanged();
  };
  return (
    <FormDialog title={texts.endTitle} action={texts.end} onSubmit={submit} onClose={onClose}>
      <p>{texts.endText}</p>
    </FormDialog>
  );
}
