import { useState } from 'preact/hooks';
import { FormDialog } from '../parts/form-dialog.tsx';
import { HintedField } from '../parts/hinted-field.tsx';
import type { IssuedKey } from '../server/answers.ts';
import { callApi } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

interface AddAppDialogProps {
  readonly organizationId: string;
  readonly moduleId: string;
  readonly onIssued: (key: IssuedKey) => void;
  readonly onClose: () => void;
}

/** Registers an app: a key of its own, with a name and an end. */
export function AddAppDialog({ organizationId, moduleId, onIssued, onClose }: AddAppDialogProps) {
  const { common, vendor } = useTexts();
  const texts = vendor.apps;
  const [name, setName] = useState('');
  const [expires, setExpires] = useState('');
  const register = async () => {
    const body = {
      clientName: name.trim() === '' ? null : name,
      expiresOn: expires === '' ? null : expires,
    };
    onIssued(await callApi<IssuedKey>('POST', `/${organizationId}/registerApiClient/${moduleId}`, body));
  };
  return (
    <FormDialog title={texts.add} action={texts.add} onSubmit={register} onClose={onClose}>
      <HintedField label={common.name} hint={texts.nameHint} value={name} onInput={setName} />
      <HintedField
        label={texts.expires}
        hint={texts.expiresHint}
        value={expires}
        onInput={setExpires}
        isDate
      />
    </FormDialog>
  );
}
