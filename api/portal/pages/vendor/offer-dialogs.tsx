import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { useModuleName } from '../parts/catalogue.ts';
import { LongTextField, Select } from '../parts/fields.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { callApi } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';

interface OfferDialogProps {
  readonly moduleId: string;
  readonly onChanged: () => Promise<void>;
  readonly onClose: () => void;
}

const MAX_LENGTH = 2_000;

/** Ends new installations, with a reason that farmers read. */
export function WithdrawDialog({ moduleId, onChanged, onClose }: OfferDialogProps) {
  const texts = useTexts().vendor.releases;
  const { id } = useOrganization();
  const [reason, setReason] = useState('');
  const submit = async () => {
    await callApi('POST', `/${id}/modules/${moduleId}/withdraw`, { reason });
    await onChanged();
  };
  return (
    <FormDialog title={texts.withdrawTitle} action={texts.withdraw} onSubmit={submit} onClose={onClose}>
      <p>{texts.withdrawText}</p>
      <LongTextField
        {...{ label: texts.reason, hint: texts.reasonHint, value: reason, onInput: setReason }}
        required
        maxLength={MAX_LENGTH}
      />
    </FormDialog>
  );
}

/** Advises farmers to replace the module, if need be by another one of the vendor. */
export function DeprecateDialog({ moduleId, onChanged, onClose }: OfferDialogProps) {
  const texts = useTexts().vendor.releases;
  const { id } = useOrganization();
  const nameOf = useModuleName();
  const modules = useList(`/${id}/modules?limit=200`);
  const [message, setMessage] = useState('');
  const [successor, setSuccessor] = useState('');
  const submit = async () => {
    const successorModuleId = successor === '' ? null : successor;
    await callApi('POST', `/${id}/modules/${moduleId}/deprecate`, { message, successorModuleId });
    await onChanged();
  };
  const others = modules.value?.filter((each) => each.id !== moduleId) ?? [];
  return (
    <FormDialog title={texts.deprecateTitle} action={texts.deprecate} onSubmit={submit} onClose={onClose}>
      <LongTextField
        {...{ label: texts.message, hint: texts.reasonHint, value: message, onInput: setMessage }}
        required
        maxLength={MAX_LENGTH}
      />
      <Select
        label={texts.successor}
        options={[
          ['', texts.noSuccessor],
          ...others.map((each) => [each.id, nameOf(each.translations)] as const),
        ]}
        value={successor}
        onChange={setSuccessor}
      />
    </FormDialog>
  );
}
