import { useState } from 'preact/hooks';
import { Select } from '../parts/fields.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import type { Schemas } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';
import { WebhookFields, type WebhookSettings } from './webhook-fields.tsx';

type WebhooksPath = `/${string}/webhooks/${string}`;

interface WebhookDialogProps {
  readonly path: `${WebhooksPath}/${string}`;
  readonly onClose: () => void;
}

interface SecretProps {
  readonly onSecret: (webhook: Schemas['WebhookWithSecret']) => Promise<void>;
}

interface ChangeProps {
  readonly webhook: Schemas['Webhook'];
  readonly onChanged: () => Promise<void>;
}

/** What is sent: a description that is empty is none. */
function bodyOf({ url, description, types }: WebhookSettings) {
  const note = description?.trim() ?? '';
  return { url: url.trim(), description: note === '' ? null : note, types };
}

const NEW: WebhookSettings = { url: '', description: null, types: null };

interface AddWebhookDialogProps extends SecretProps {
  readonly path: WebhooksPath;
  readonly onClose: () => void;
}

/** Registers a webhook. */
export function AddWebhookDialog({ path, onSecret, onClose }: AddWebhookDialogProps) {
  const texts = useTexts().webhooks;
  const [settings, setSettings] = useState(NEW);
  const add = async () => {
    await onSecret(await callApi('POST', path, bodyOf(settings)));
  };
  return (
    <FormDialog
      title={texts.add}
      action={texts.add}
      isReady={settings.types?.length !== 0}
      onSubmit={add}
      onClose={onClose}
    >
      <WebhookFields settings={settings} onChange={setSettings} />
    </FormDialog>
  );
}

/** Changes what a webhook gets, and where. */
export function EditWebhookDialog({ path, webhook, onChanged, onClose }: WebhookDialogProps & ChangeProps) {
  const texts = useTexts().webhooks;
  const [settings, setSettings] = useState<WebhookSettings>(webhook);
  const save = async () => {
    await callApi('PATCH', path, bodyOf(settings));
    await onChanged();
  };
  return (
    <FormDialog
      title={texts.editTitle}
      action={texts.save}
      isReady={settings.types?.length !== 0}
      onSubmit={save}
      onClose={onClose}
    >
      <WebhookFields settings={settings} onChange={setSettings} />
    </FormDialog>
  );
}

const OVERLAP_SECONDS = { none: 0, hour: 3_600, day: 86_400, week: 604_800 } as const;
type Overlap = keyof typeof OVERLAP_SECONDS;
const OVERLAPS = ['none', 'hour', 'day', 'week'] as const;

/** Makes new keys; the old ones sign too for a while. */
export function RotateKeysDialog({ path, onSecret, onClose }: WebhookDialogProps & SecretProps) {
  const texts = useTexts().webhooks;
  const [overlap, setOverlap] = useState<Overlap>('day');
  const rotate = async () => {
    const body = { overlapSeconds: OVERLAP_SECONDS[overlap] };
    await onSecret(await callApi('POST', `${path}/rotate`, body));
  };
  return (
    <FormDialog title={texts.rotateTitle} action={texts.rotate} onSubmit={rotate} onClose={onClose}>
      <Select
        label={texts.overlap}
        options={OVERLAPS.map((key) => [key, texts.overlaps[key]])}
        value={overlap}
        onChange={(value) => setOverlap(OVERLAPS.find((key) => key === value) ?? 'day')}
      />
    </FormDialog>
  );
}

/** Deletes a webhook once the reader has confirmed it. */
export function DeleteWebhookDialog({ path, webhook, onChanged, onClose }: WebhookDialogProps & ChangeProps) {
  const texts = useTexts().webhooks;
  const remove = async () => {
    await callApi('DELETE', path);
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
      <p>{webhook.url}</p>
      <p>{texts.removeText}</p>
    </FormDialog>
  );
}
