import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { Select, TextField } from '../parts/fields.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import type { Schemas } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

type Publisher = Schemas['TrustedPublisher'];

interface PublisherDialogProps {
  readonly moduleId: string;
  readonly publishers: readonly Publisher[];
  readonly onChanged: () => Promise<void>;
  readonly onClose: () => void;
}

/** What is known of a CI service: its issuer, and the claims by which a run is recognized, with their values. */
const PRESETS = {
  github: {
    issuer: 'https://token.actions.githubusercontent.com',
    claims: { repository_id: '', ref: 'refs/heads/main' },
  },
  gitlab: { issuer: 'https://gitlab.com', claims: { project_id: '', ref_path: 'refs/heads/main' } },
  other: { issuer: '', claims: { sub: '' } },
} as const;

type Preset = keyof typeof PRESETS;

function isPreset(value: string): value is Preset {
  return value in PRESETS;
}

/** Trusts another CI service, repository and branch to import the module. */
export function AddPublisherDialog({ moduleId, publishers, onChanged, onClose }: PublisherDialogProps) {
  const texts = useTexts().vendor.publishers;
  const { id } = useOrganization();
  const [preset, setPreset] = useState<Preset>('github');
  const [issuer, setIssuer] = useState<string>(PRESETS.github.issuer);
  const [audience, setAudience] = useState(location.origin);
  const [claims, setClaims] = useState<Readonly<Record<string, string>>>(PRESETS.github.claims);
  const choose = (value: string) => {
    if (!isPreset(value)) return;
    setPreset(value);
    setIssuer(PRESETS[value].issuer);
    setClaims(PRESETS[value].claims);
  };
  const add = async () => {
    const given = Object.entries(claims).filter(([, value]) => value.trim() !== '');
    const trimmed = Object.fromEntries(given.map(([name, value]) => [name, value.trim()]));
    const added = { issuer: issuer.trim(), audience: audience.trim(), claims: trimmed };
    await callApi('PUT', `/${id}/trustedPublishers/${moduleId}`, { items: [...publishers, added] });
    await onChanged();
  };
  return (
    <FormDialog title={texts.add} action={texts.add} onSubmit={add} onClose={onClose}>
      <Select
        label={texts.service}
        options={(['github', 'gitlab', 'other'] as const).map((key) => [key, texts.services[key]])}
        value={preset}
        onChange={choose}
      />
      <TextField
        {...{ type: 'text', label: texts.issuer, hint: texts.issuerHint, value: issuer, onInput: setIssuer }}
        required
        maxLength={255}
      />
      <TextField
        {...{ type: 'text', label: texts.audience, hint: texts.audienceHint, value: audience }}
        onInput={setAudience}
        required
        maxLength={255}
      />
      <ClaimFields claims={claims} onChange={setClaims} />
    </FormDialog>
  );
}

interface ClaimFieldsProps {
  readonly claims: Readonly<Record<string, string>>;
  readonly onChange: (claims: Readonly<Record<string, string>>) => void;
}

/** A field for each claim. Only a branch may be left out: without an ID, runs of any repository could import. */
function ClaimFields({ claims, onChange }: ClaimFieldsProps) {
  const hints: Readonly<Record<string, string>> = useTexts().vendor.publishers.hints;
  return (
    <>
      {Object.entries(claims).map(([name, value]) => (
        <TextField
          key={name}
          type="text"
          label={<code>{name}</code>}
          hint={hints[name] ?? null}
          value={value}
          onInput={(text) => onChange({ ...claims, [name]: text })}
          required={!name.startsWith('ref')}
          maxLength={500}
          autocomplete="off"
        />
      ))}
    </>
  );
}

/** Removes a publisher once the reader has confirmed it. */
export function RemovePublisherDialog({
  moduleId,
  publishers,
  index,
  onChanged,
  onClose,
}: PublisherDialogProps & { readonly index: number }) {
  const texts = useTexts().vendor.publishers;
  const { id } = useOrganization();
  const remove = async () => {
    const items = publishers.filter((_, each) => each !== index);
    await callApi('PUT', `/${id}/trustedPublishers/${moduleId}`, { items });
    await onChanged();
  };
  return (
    <FormDialog
      title={texts.removeTitle}
      action={texts.remove}
      isDangerous
      onSubmit={remove}
      onClose={onClose}
    >
      <p>{publishers[index]?.issuer}</p>
      <p>{texts.removeText}</p>
    </FormDialog>
  );
}
