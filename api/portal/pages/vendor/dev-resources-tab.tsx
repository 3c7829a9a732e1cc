import { useState } from 'preact/hooks';
import { Loaded, More } from '../parts/loaded.tsx';
import type { ApiClient, IssuedKey, Organization } from '../server/answers.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { AddAppDialog } from './add-app-dialog.tsx';
import { AppTable } from './app-table.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';
import { SecretDialog } from './secret-dialog.tsx';

interface DevResourcesTabProps {
  readonly organization: Organization;
  readonly moduleId: string;
}

/** What is open over the tab. */
type Open =
  | { readonly dialog: 'add' }
  | { readonly dialog: 'rotate' | 'revoke'; readonly app: ApiClient }
  | { readonly dialog: 'secret'; readonly key: IssuedKey };

/** App Registrations: the API keys of a module's back end. */
export function DevResourcesTab({ organization, moduleId }: DevResourcesTabProps) {
  const { vendor } = useTexts();
  const [open, setOpen] = useState<Open | null>(null);
  const apps = useList<ApiClient>(`/${organization.id}/apiClients/${moduleId}`);
  const close = () => {
    setOpen(null);
  };
  const show = (key: IssuedKey) => {
    setOpen({ dialog: 'secret', key });
    void apps.reload();
  };
  const dialogProps = { organizationId: organization.id, moduleId, onClose: close };
  return (
    <section>
      <div class="section-head">
        <h2>{vendor.apps.section}</h2>
        {organization.isAdmin && (
          <button
            type="button"
            onClick={() => {
              setOpen({ dialog: 'add' });
            }}
          >
            {vendor.apps.add}
          </button>
        )}
      </div>
      <p class="lead">{vendor.apps.lead}</p>
      <Loaded of={apps}>
        {(items) => (
          <AppTable
            apps={items}
            isAdmin={organization.isAdmin}
            onAct={(dialog, app) => {
              setOpen({ dialog, app });
            }}
          />
        )}
      </Loaded>
      <More of={apps} />
      {open?.dialog === 'add' && <AddAppDialog {...dialogProps} onIssued={show} />}
      {open?.dialog === 'rotate' && <RotateDialog {...dialogProps} app={open.app} onIssued={show} />}
      {open?.dialog === 'revoke' && (
        <RevokeDialog {...dialogProps} app={open.app} onRevoked={() => apps.reload()} />
      )}
      {open?.dialog === 'secret' && <SecretDialog issued={open.key} onClose={close} />}
    </section>
  );
}
