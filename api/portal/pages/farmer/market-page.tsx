import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { useCatalogue, useModuleName } from '../parts/catalogue.ts';
import { Checkbox } from '../parts/fields.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { ItemList, Loaded } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { callApi } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { MarketCard } from './market-card.tsx';
import type { MarketDialog, OfferedModule } from './market-card.tsx';

/** The modules that the tenant offers, which of them are installed, and what those may read. */
export function MarketPage() {
  const { common, farmer } = useTexts();
  const organization = useOrganization();
  const [open, setOpen] = useState<{ dialog: MarketDialog; module: OfferedModule } | null>(null);
  const modules = useList(`/${organization.id}/availableModules`);
  const installations = useList(`/${organization.id}/installations?limit=200`);
  const installationOf = (module: OfferedModule) =>
    installations.value?.find(({ moduleId }) => moduleId === module.id) ?? null;
  const dialogProps = {
    onDone: installations.reload,
    onClose: () => {
      setOpen(null);
    },
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
                onOpen={(dialog) => {
                  setOpen({ dialog, module });
                }}
              />
            )}
          </ItemList>
        )}
      </Loaded>
      {open?.dialog === 'install' && (
        <InstallDialog
          {...dialogProps}
          module={open.module}
          accepted={installationOf(open.module)?.acceptedDataAreaIds ?? null}
        />
      )}
      {open?.dialog === 'uninstall' && <UninstallDialog {...dialogProps} module={open.module} />}
    </>
  );
}

interface DialogProps {
  readonly module: OfferedModule;
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}

interface InstallDialogProps extends DialogProps {
  /** What was accepted before; null: the module is not installed. */
  readonly accepted: readonly string[] | null;
}

/** Lets the reader choose which data areas a module may read. */
function InstallDialog({ module, accepted, onDone, onClose }: InstallDialogProps) {
  const texts = useTexts().farmer.market;
  const organization = useOrganization();
  const name = useModuleName()(module.translations);
  const areas = useCatalogue('dataAreas');
  const [chosen, setChosen] = useState(accepted ?? module.dataAreaIds);
  const install = async () => {
    const acceptedDataAreaIds = module.dataAreaIds.filter((id) => chosen.includes(id));
    await callApi('PUT', `/${organization.id}/installations/${module.id}`, { acceptedDataAreaIds });
    await onDone();
    onClose();
  };
  return (
    <FormDialog
      title={texts.installTitle(name)}
      action={accepted === null ? texts.install : texts.save}
      onSubmit={install}
      onClose={onClose}
    >
      <fieldset>
        <legend>{module.dataAreaIds.length === 0 ? texts.nothing : texts.installText}</legend>
        {module.dataAreaIds.map((id) => (
          <Checkbox
            key={id}
            checked={chosen.includes(id)}
            onChange={(isChecked) => {
              setChosen(isChecked ? [...chosen, id] : chosen.filter((each) => each !== id));
            }}
          >
            <span>
              {areas.get(id)?.value ?? id}
              <small>{areas.get(id)?.description}</small>
            </span>
          </Checkbox>
        ))}
      </fieldset>
    </FormDialog>
  );
}

function UninstallDialog({ module, onDone, onClose }: DialogProps) {
  const texts = useTexts().farmer.market;
  const organization = useOrganization();
  const name = useModuleName()(module.translations);
  const uninstall = async () => {
    await callApi('DELETE', `/${organization.id}/installations/${module.id}`);
    await onDone();
    onClose();
  };
  return (
    <FormDialog
      title={texts.uninstallTitle(name)}
      action={texts.uninstall}
      isDangerous
      onSubmit={uninstall}
      onClose={onClose}
    >
      <p>{texts.uninstallText}</p>
    </FormDialog>
  );
}
