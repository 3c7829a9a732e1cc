import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { Badge } from '../parts/badge.tsx';
import { LoadedList } from '../parts/loaded.tsx';
import { Time } from '../parts/localized.tsx';
import { Table } from '../parts/table.tsx';
import type { Schemas } from '../server/api-types.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { TrustedPublishers } from './trusted-publishers.tsx';
import { Webhooks } from './webhooks.tsx';
import { AddAppDialog, NewKeyDialog, RevokeDialog, RotateDialog } from './app-dialogs.tsx';

type App = Schemas['ApiKey'];

/** The dialog that is open over the tab. */
type Open =
  | { readonly dialog: 'add' }
  | { readonly dialog: 'rotate' | 'revoke'; readonly app: App }
  | { readonly dialog: 'secret'; readonly key: Schemas['ApiKeyWithSecret'] };

/** What a module's developers need: the keys of its back end, where it is called, and the CI runs that import it. */
export function DevResourcesTab({ moduleId }: { readonly moduleId: string }) {
  return (
    <>
      <AppRegistrations moduleId={moduleId} />
      <Webhooks moduleId={moduleId} />
      <TrustedPublishers moduleId={moduleId} />
    </>
  );
}

/** App Registrations: the API keys of a module's back end. */
function AppRegistrations({ moduleId }: { readonly moduleId: string }) {
  const texts = useTexts().vendor.apps;
  const { id, isAdmin } = useOrganization();
  const [open, setOpen] = useState<Open | null>(null);
  const apps = useList(`/${id}/apiClients/${moduleId}`);
  const onClose = () => setOpen(null);
  const onIssued = (key: Schemas['ApiKeyWithSecret']) => {
    setOpen({ dialog: 'secret', key });
    void apps.reload();
  };
  return (
    <section>
      <div class="section-head">
        <h2>{texts.section}</h2>
        {isAdmin && (
          <button type="button" onClick={() => setOpen({ dialog: 'add' })}>
            {texts.add}
          </button>
        )}
      </div>
      <p class="lead">{texts.lead}</p>
      <LoadedList of={apps} empty={texts.none}>
        {(items) => <AppTable apps={items} onOpen={setOpen} />}
      </LoadedList>
      {open?.dialog === 'add' && <AddAppDialog {...{ moduleId, onIssued, onClose }} />}
      {open?.dialog === 'rotate' && <RotateDialog {...{ moduleId, onIssued, onClose }} app={open.app} />}
      {open?.dialog === 'revoke' && (
        <RevokeDialog {...{ moduleId, onClose }} app={open.app} onRevoked={apps.reload} />
      )}
      {open?.dialog === 'secret' && <NewKeyDialog issued={open.key} onClose={onClose} />}
    </section>
  );
}

interface AppTableProps {
  readonly apps: readonly App[];
  readonly onOpen: (open: Open) => void;
}

/** The keys of a module: only the start of a secret is known. */
function AppTable({ apps, onOpen }: AppTableProps) {
  const { common, vendor } = useTexts();
  const { isAdmin } = useOrganization();
  const texts = vendor.apps;
  const columns = [common.name, texts.key, common.status, texts.lastUsed, texts.expires];
  return (
    <Table label={texts.section} columns={isAdmin ? [...columns, common.actions] : columns}>
      {apps.map((app) => {
        const status = statusOf(app);
        return (
          <tr key={app.id}>
            <td>{app.clientName}</td>
            <td>
              <code>{app.secretStart}…</code>
            </td>
            <td>
              <Badge tone={status === 'active' ? 'good' : 'calm'}>{texts[status]}</Badge>
            </td>
            <td>{app.lastUsedOn === null ? common.never : <Time value={app.lastUsedOn} />}</td>
            <td>
              <Time value={app.expiresOn} />
            </td>
            {isAdmin && (
              <td class="row-actions">{status !== 'revoked' && <AppActions app={app} onOpen={onOpen} />}</td>
            )}
          </tr>
        );
      })}
    </Table>
  );
}

function AppActions({ app, onOpen }: Pick<AppTableProps, 'onOpen'> & { readonly app: App }) {
  const texts = useTexts().vendor.apps;
  return (
    <>
      {(['rotate', 'revoke'] as const).map((dialog) => (
        <button
          key={dialog}
          type="button"
          class="secondary outline small"
          aria-label={`${texts[dialog]}: ${app.clientName}`}
          onClick={() => onOpen({ dialog, app })}
        >
          {texts[dialog]}
        </button>
      ))}
    </>
  );
}

function statusOf({ revokedOn, expiresOn }: App): 'revoked' | 'expired' | 'active' {
  // A rotated key is revoked as of a time in the future.
  if (revokedOn !== null && Date.parse(revokedOn) <= Date.now()) return 'revoked';
  return Date.parse(expiresOn) <= Date.now() ? 'expired' : 'active';
}
