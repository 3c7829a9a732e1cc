import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { Dialog, FormDialog } from '../parts/dialog.tsx';
import { useDialogs } from '../parts/dialogs.tsx';
import { Checkbox } from '../parts/fields.tsx';
import { Loaded } from '../parts/lists.tsx';
import { Button, RowButton } from '../parts/page.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
import { useResource } from '../server/use-resource.ts';
import { useLanguage, useTexts } from '../texts/language.ts';
import { useAreaWords } from './market-words.ts';
import { Documents } from './module-documents.tsx';

interface InstallProps {
  readonly module: { readonly id: string; readonly name: string };
  /** Null: the module is not installed. */
  readonly installation: Schemas['Installation'] | null;
  /** Reads the installation again. */
  readonly reload: () => Promise<unknown>;
}

interface OfferActionsProps extends InstallProps {
  readonly canInstall?: boolean;
}

/** What an administrator can do with a module: install it, change its access, or uninstall it. */
export function OfferActions({ canInstall = true, ...props }: OfferActionsProps) {
  const texts = useTexts().market;
  const { id, isAdmin } = useOrganization();
  const dialogs = useDialogs();
  const { module, installation, reload } = props;
  const about = module.name;
  const install = () => dialogs.open((onClose) => <InstallDialog {...props} onClose={onClose} />);
  const uninstall = () =>
    dialogs.confirm({
      title: texts.uninstallTitle(module.name),
      text: texts.uninstallText,
      action: texts.uninstall,
      act: () => callApi('DELETE', `/${id}/installations/${module.id}`),
      reload,
    });
  if (!isAdmin) return null;
  if (installation === null)
    return canInstall ? <Button {...{ text: texts.install, about }} class="small" onClick={install} /> : null;
  return (
    <>
      <RowButton {...{ text: texts.change, about }} onClick={install} />
      <RowButton {...{ text: texts.uninstall, about }} onClick={uninstall} />
    </>
  );
}

interface InstallDialogProps extends InstallProps {
  readonly onClose: () => void;
}

function InstallDialog(props: InstallDialogProps) {
  const texts = useTexts().market;
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

interface ConsentFormProps extends InstallDialogProps {
  readonly offer: Schemas['AvailableModule'];
}

/** Lets the reader choose which data areas a module may read, and accept its terms. */
function ConsentForm({ offer, installation, reload, onClose }: ConsentFormProps) {
  const { common, market: texts } = useTexts();
  const organization = useOrganization();
  const [chosen, setChosen] = useState<readonly string[]>(
    installation?.acceptedDataAreaIds ?? offer.dataAreaIds,
  );
  const [isAgreed, setAgreed] = useState(false);
  const isNew = installation === null;
  const areTermsNew = isNew ? offer.terms.length > 0 : (installation.pendingConsent?.terms.length ?? 0) > 0;
  const missing = isNew ? offer.dependencies.filter(({ installed }) => !installed) : [];
  const save = () =>
    callApi('PUT', `/${organization.id}/installations/${offer.id}`, {
      acceptedDataAreaIds: offer.dataAreaIds.filter((id) => chosen.includes(id)),
      ...(areTermsNew && isAgreed && { acceptedTerms: offer.terms.map(({ sha256 }) => sha256) }),
    });
  return (
    <FormDialog
      title={texts.installTitle(offer.name)}
      action={isNew ? texts.install : common.save}
      isReady={missing.length === 0 && (isAgreed || !isNew || !areTermsNew)}
      onSubmit={save}
      {...{ reload, onClose }}
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
  const texts = useTexts().market;
  const words = useAreaWords();
  return (
    <fieldset>
      <legend>{ids.length === 0 ? texts.nothing : texts.installText}</legend>
      {ids.map((id) => (
        <Checkbox
          key={id}
          hint={words(id).description}
          checked={chosen.includes(id)}
          onChange={(isChecked) =>
            onChoose(isChecked ? [...chosen, id] : chosen.filter((each) => each !== id))
          }
        >
          {words(id).name}
        </Checkbox>
      ))}
    </fieldset>
  );
}
