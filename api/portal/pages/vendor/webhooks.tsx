import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { ItemList } from '../parts/loaded.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import type { Schemas } from '../server/api-types.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { WebhookCard, type WebhookDialog } from './webhook-card.tsx';
import {
  AddWebhookDialog,
  DeleteWebhookDialog,
  EditWebhookDialog,
  RotateKeysDialog,
} from './webhook-dialogs.tsx';

type Webhook = Schemas['Webhook'];
type WithSecret = Schemas['WebhookWithSecret'];

/** The dialog that is open over the list. */
type Open =
  | { readonly dialog: 'add' }
  | { readonly dialog: WebhookDialog; readonly webhook: Webhook }
  | { readonly dialog: 'secret'; readonly webhook: WithSecret };

/** The addresses of the module's back end that are called when something changes. */
export function Webhooks({ moduleId }: { readonly moduleId: string }) {
  const texts = useTexts().webhooks;
  const { id } = useOrganization();
  const [open, setOpen] = useState<Open | null>(null);
  const [message, setMessage] = useState('');
  const list = useList(`/${id}/webhooks/${moduleId}`);
  const path = `/${id}/webhooks/${moduleId}` as const;
  const onClose = () => setOpen(null);
  const onChanged = async () => {
    await list.reload();
    onClose();
  };
  const onSecret = async (webhook: WithSecret) => {
    await list.reload();
    setOpen({ dialog: 'secret', webhook });
  };
  return (
    <section>
      <WebhooksHead onAdd={() => setOpen({ dialog: 'add' })} />
      <p role="status" class="quiet">
        {message}
      </p>
      <ItemList class="stack" of={list} empty={texts.none}>
        {(webhook) => (
          <WebhookCard
            key={webhook.id}
            {...{ webhook, onChanged, onMessage: setMessage }}
            onOpen={(dialog) => {
              setMessage('');
              setOpen({ dialog, webhook });
            }}
          />
        )}
      </ItemList>
      {open !== null && <OpenDialog {...{ open, path, onChanged, onSecret, onClose }} />}
    </section>
  );
}

function WebhooksHead({ onAdd }: { readonly onAdd: () => void }) {
  const texts = useTexts().webhooks;
  const { isAdmin } = useOrganization();
  return (
    <>
      <div class="section-head">
        <h2>{texts.section}</h2>
        {isAdmin && (
          <button type="button" onClick={onAdd}>
            {texts.add}
          </button>
        )}
      </div>
      <p class="lead">{texts.lead}</p>
    </>
  );
}

interface OpenDialogProps {
  readonly open: Open;
  /** Of all webhooks of the module. */
  readonly path: `/${string}/webhooks/${string}`;
  readonly onChanged: () => Promise<void>;
  readonly onSecret: (webhook: WithSecret) => Promise<void>;
  readonly onClose: () => void;
}

function OpenDialog({ open, path, onChanged, onSecret, onClose }: OpenDialogProps) {
  if (open.dialog === 'add') return <AddWebhookDialog {...{ path, onSecret, onClose }} />;
  if (open.dialog === 'secret') return <WebhookSecretDialog webhook={open.webhook} onClose={onClose} />;
  const { webhook } = open;
  const one = { path: `${path}/${webhook.id}` as const, webhook, onClose };
  if (open.dialog === 'edit') return <EditWebhookDialog {...one} onChanged={onChanged} />;
  if (open.dialog === 'rotate') return <RotateKeysDialog {...one} onSecret={onSecret} />;
  return <DeleteWebhookDialog {...one} onChanged={onChanged} />;
}

interface WebhookSecretDialogProps {
  readonly webhook: WithSecret;
  readonly onClose: () => void;
}

function WebhookSecretDialog({ webhook, onClose }: WebhookSecretDialogProps) {
  const texts = useTexts().webhooks;
  return (
    <SecretDialog
      title={texts.secretTitle}
      about={webhook.url}
      warning={texts.secretWarning}
      label={texts.secretLabel}
      value={webhook.secret}
      close={texts.secretStored}
      onClose={onClose}
    />
  );
}
