import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { NameField, Select, TextField } from '../parts/fields.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import type { Schemas } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

interface AppDialogProps {
  readonly moduleId: string;
  readonly onClose: () => void;
}

interface IssuingDialogProps extends AppDialogProps {
  readonly onIssued: (key: Schemas['ApiKeyWithSecret']) => void;
}

interface KeyDialogProps {
  readonly app: Schemas['ApiKey'];
}

/** Registers an app: a key of its own, with a name and an expiry date. */
export function AddAppDialog({ moduleId, onIssued, onClose }: IssuingDialogProps) {
  const { common, vendor } = useTexts();
  const { id } = useOrganization();
  const texts = vendor.apps;
  const [name, setName] = useState('');
  const [expires, setExpires] = useState('');
  const register = async () => {
    const clientName = name.trim() === '' ? null : name;
    const expiresOn = expires === '' ? null : expires;
    onIssued(await callApi('POST', `/${id}/registerApiClient/${moduleId}`, { clientName, expiresOn }));
  };
  return (
    <FormDialog title={texts.add} action={texts.add} onSubmit={register} onClose={onClose}>
      <NameField label={common.name} hint={texts.nameHint} value={name} onInput={setName} />
      <TextField
        label={texts.expires}
        hint={texts.expiresHint}
        type="date"
        value={expires}
        onInput={setExpires}
      />
    </FormDialog>
  );
}

const OVERLAP_SECONDS = { none: 0, hour: 3_600, day: 86_400, week: 604_800 } as const;

/** Issues a new key for an app; the old one remains valid for a while. */
export function RotateDialog({ moduleId, app, onIssued, onClose }: IssuingDialogProps & KeyDialogProps) {
  const texts = useTexts().vendor.apps;
  const { id } = useOrganization();
  const [overlap, setOverlap] = useState(String(OVERLAP_SECONDS.day));
  const rotate = async () => {
    const address = `/${id}/apiClients/${moduleId}/${app.clientId}/rotate` as const;
    onIssued(await callApi('POST', address, { overlapSeconds: Number(overlap) }));
  };
  return (
    <FormDialog
      title={texts.rotateTitle(app.clientName)}
      action={texts.rotate}
      onSubmit={rotate}
      onClose={onClose}
    >
      <Select
        label={texts.overlap}
        options={(['none', 'hour', 'day', 'week'] as const).map((key) => [
          String(OVERLAP_SECONDS[key]),
          texts.overlaps[key],
        ])}
        value={overlap}
        onChange={setOverlap}
      />
    </FormDialog>
  );
}

interface RevokeDialogProps extends AppDialogProps, KeyDialogProps {
  readonly onRevoked: () => Promise<void>;
}

/** Revokes an app's keys once the reader has confirmed it. */
export function RevokeDialog({ moduleId, app, onRevoked, onClose }: RevokeDialogProps) {
  const texts = useTexts().vendor.apps;
  const { id } = useOrganization();
  const revoke = async () => {
    await callApi('DELETE', `/${id}/apiClients/${moduleId}/${app.clientId}`);
    await onRevoked();
    onClose();
  };
  return (
    <FormDialog
      title={texts.revokeTitle(app.clientName)}
      action={texts.revoke}
      isDangerous
      onSubmit={revoke}
      onClose={onClose}
    >
      <p>{texts.revokeText}</p>
    </FormDialog>
  );
}

interface NewKeyDialogProps {
  readonly issued: Schemas['ApiKeyWithSecret'];
  readonly onClose: () => void;
}

/** Shows a key, once. */
export function NewKeyDialog({ issued, onClose }: NewKeyDialogProps) {
  const texts = useTexts().vendor.apps;
  return (
    <SecretDialog
      title={texts.secretTitle}
      about={issued.clientName}
      warning={texts.secretWarning}
      label={texts.secretLabel}
      value={issued.clientSecret}
      close={texts.secretStored}
      onClose={onClose}
    />
  );
}
