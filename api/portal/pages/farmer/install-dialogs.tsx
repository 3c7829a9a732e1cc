import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Checkbox } from '../parts/fields.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Loaded } from '../parts/loaded.tsx';
import type { Schemas } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { useResource } from '../server/use-resource.ts';
import { useLanguage, useTexts } from '../texts/language.ts';
import type { MarketDialog } from './market-card.tsx';
import { useAreaWords } from './market-words.ts';
import { ModuleDocument } from './module-document.tsx';

interface OfferDialogProps {
  readonly dialog: MarketDialog;
  readonly module: { readonly id: string; readonly name: string };
  /** Null: the module is not installed. */
  readonly installation: Schemas['Installation'] | null;
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}

/** The dialog in which a module is installed or uninstalled, or its access changed. */
export function OfferDialog({ dialog, ...props }: OfferDialogProps) {
  return dialog === 'install' ? <InstallDialog {...props} /> : <UninstallDialog {...props} />;
}

type DialogProps = Omit<OfferDialogProps, 'dialog'>;

function InstallDialog(props: DialogProps) {
  const texts = useTexts().farmer.market;
  const organization = useOrganization();
  const language = useLanguage();
  const offer = useResource(`/${organization.id}/availableModules/${props.module.id}?language=${language}`);
  if (offer.value !== null) return <ConsentForm {...props} offer={offer.value} />;
  return (
    <Dialog title={texts.installTitle(props.module.name)} onClose={props.onClose}>
      <Loaded of={offer}>{() => null}</Loaded>
    </Dialog>
  );
}

/** Lets the reader choose which data areas a module may read, and accept its terms. */
function ConsentForm({
  offer,
  installation,
  onDone,
  onClose,
}: DialogProps & { readonly offer: Schemas['AvailableModule'] }) {
  const texts = useTexts().farmer.market;
  const organization = useOrganization();
  const [chosen, setChosen] = useState<readonly string[]>(
    installation?.acceptedDataAreaIds ?? offer.dataAreaIds,
  );
  const [isAgreed, setAgreed] = useState(false);
  const isNew = installation === null;
  const areTermsNew = isNew ? offer.terms.length > 0 : (installation.pendingConsent?.terms.length ?? 0) > 0;
  const missing = isNew ? offer.dependencies.filter(({ installed }) => !installed) : [];
  const save = async () => {
    await callApi('PUT', `/${organization.id}/installations/${offer.id}`, {
      acceptedDataAreaIds: offer.dataAreaIds.filter((id) => chosen.includes(id)),
      ...(areTermsNew && isAgreed && { acceptedTerms: offer.terms.map(({ sha256 }) => sha256) }),
    });
    await onDone();
    onClose();
  };
  return (
    <FormDialog
      title={texts.installTitle(offer.name)}
      action={isNew ? texts.install : texts.save}
      isReady={missing.length === 0 && (isAgreed || !isNew || !areTermsNew)}
      onSubmit={save}
      onClose={onClose}
    >
      {missing.length > 0 && (
        <p class="note warn">
          {texts.missing}{' '}
          {missing.map(({ moduleId, name }) => name ?? texts.unknownModule(moduleId)).join(', ')}
        </p>
      )}
      <AreaChoice ids={offer.dataAreaIds} chosen={chosen} onChoose={setChosen} />
      <Documents offer={offer} />
      {areTermsNew && (
        <Checkbox checked={isAgreed} onChange={setAgreed}>
          {texts.acceptTerms}
        </Checkbox>
      )}
    </FormDialog>
  );
}

interface AreaChoiceProps {
  readonly ids: readonly string[];
  readonly chosen: readonly string[];
  readonly onChoose: (ids: readonly string[]) => void;
}

function AreaChoice({ ids, chosen, onChoose }: AreaChoiceProps) {
  const texts = useTexts().farmer.market;
  const words = useAreaWords();
  return (
    <fieldset>
      <legend>{ids.length === 0 ? texts.nothing : texts.installText}</legend>
      {ids.map((id) => (
        <Checkbox
          key={id}
          checked={chosen.includes(id)}
          onChange={(isChecked) =>
            onChoose(isChecked ? [...chosen, id] : chosen.filter((each) => each !== id))
          }
        >
          <span>
            {words(id).name}
            <small>{words(id).description}</small>
          </span>
        </Checkbox>
      ))}
    </fieldset>
  );
}

/** The terms and privacy statements of a module. */
export function Documents({ offer: { terms, privacy } }: { readonly offer: Schemas['AvailableModule'] }) {
  const texts = useTexts().farmer.market;
  return (
    <>
      {terms.map((document) => (
        <ModuleDocument key={document.path} of={document} title={texts.terms} />
      ))}
      {privacy.map((document) => (
        <ModuleDocument key={document.path} of={document} title={texts.privacy} />
      ))}
    </>
  );
}

function UninstallDialog({ module, onDone, onClose }: DialogProps) {
  const texts = useTexts().farmer.market;
  const organization = useOrganization();
  const uninstall = async () => {
    await callApi('DELETE', `/${organization.id}/installations/${module.id}`);
    await onDone();
    onClose();
  };
  return (
    <FormDialog
      title={texts.uninstallTitle(module.name)}
      action={texts.uninstall}
      isDangerous
      onSubmit={uninstall}
      onClose={onClose}
    >
      <p>{texts.uninstallText}</p>
    </FormDialog>
  );
}
