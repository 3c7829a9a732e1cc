import { useState } from 'preact/hooks';
import { Confirm } from '../parts/confirm.tsx';
import { useModuleName } from '../parts/catalogue.ts';
import { ItemList } from '../parts/item-list.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import type { AvailableModule, Installation, Organization } from '../server/answers.ts';
import { callApi } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { InstallDialog } from './install-dialog.tsx';
import { MarketCard } from './market-card.tsx';

interface Open {
  readonly dialog: 'install' | 'uninstall';
  readonly module: AvailableModule;
}

/** What the tenant offers, and what of it is installed, with the data areas that it opens. */
export function MarketPage({ organization }: { readonly organization: Organization }) {
  const { common, farmer } = useTexts();
  const [open, setOpen] = useState<Open | null>(null);
  const modules = useList<AvailableModule>(`/${organization.id}/availableModules`);
  const installations = useList<Installation>(`/${organization.id}/installations?limit=200`);
  const installationOf = ({ id }: AvailableModule) =>
    installations.value?.find(({ moduleId }) => moduleId === id) ?? null;
  const close = () => {
    setOpen(null);
  };
  const put = async (method: 'PUT' | 'DELETE', module: AvailableModule, body?: object) => {
    await callApi(method, `/${organization.id}/installations/${module.id}`, body);
    await installations.reload();
    close();
  };
  return (
    <>
      <PageHead title={common.pages.market} lead={farmer.market.lead} />
      {!organization.isAdmin && <p class="note">{common.readOnly}</p>}
      <Loaded of={installations}>
        {() => (
          <ItemList of={modules} empty={farmer.market.none} class="cards">
            {(module) => (
              <MarketCard
                key={module.id}
                module={module}
                installation={installationOf(module)}
                isAdmin={organization.isAdmin}
                onOpen={(dialog) => {
                  setOpen({ dialog, module });
                }}
              />
            )}
          </ItemList>
        )}
      </Loaded>
      {open !== null && (
        <MarketDialog
          {...open}
          accepted={installationOf(open.module)?.acceptedDataAreaIds ?? null}
          onPut={put}
          onClose={close}
        />
      )}
    </>
  );
}

interface MarketDialogProps extends Open {
  readonly accepted: readonly string[] | null;
  readonly onPut: (method: 'PUT' | 'DELETE', module: AvailableModule, body?: object) => Promise<void>;
  readonly onClose: () => void;
}

function MarketDialog({ dialog, module, accepted, onPut, onClose }: MarketDialogProps) {
  const texts = useTexts().farmer.market;
  const name = useModuleName()(module.translations);
  return dialog === 'install' ? (
    <InstallDialog
      module={module}
      name={name}
      accepted={accepted}
      onInstall={(acceptedDataAreaIds) => onPut('PUT', module, { acceptedDataAreaIds })}
      onClose={onClose}
    />
  ) : (
    <Confirm
      title={texts.uninstallTitle(name)}
      text={texts.uninstallText}
      action={texts.uninstall}
      onConfirm={() => onPut('DELETE', module)}
      onClose={onClose}
    />
  );
}
