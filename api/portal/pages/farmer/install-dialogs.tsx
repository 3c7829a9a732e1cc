import { useDialogs } from '../parts/dialogs.tsx';
import { Checkbox } from '../parts/fields.tsx';
import { Button, RowButton, useOrganization } from '../parts/page.tsx';
import { callApi, CallError, PRECONDITION_FAILED, readTagged, type Schemas } from '../server/call-api.ts';
import { useLanguage, useTexts } from '../texts/language.ts';
import { useAreaReasons, useAreaWords } from './market-words.ts';
import { Documents } from './module-documents.tsx';
import { PriceList } from './price-list.tsx';

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

/** An administrator's actions on a module: install it, change its access, or uninstall it. */
export function OfferActions({ canInstall = true, ...props }: OfferActionsProps) {
  const texts = useTexts().market;
  const { id, isAdmin } = useOrganization();
  const dialogs = useDialogs();
  const install = useInstall(props);
  const { module, installation, reload } = props;
  const about = module.name;
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

/** How the offer has changed since the farmer read it, and the data areas that were chosen then. */
interface Interruption {
  readonly changes: Schemas['RevisionChanges'] | undefined;
  readonly areas: readonly string[];
}

/** Returns what lets the reader choose which data areas a module may read, and accept its terms. */
function useInstall({ module, installation, reload }: InstallProps) {
  const { common, market: texts } = useTexts();
  const { id } = useOrganization();
  const language = useLanguage();
  const dialogs = useDialogs();
  const isNew = installation === null;
  const path = `/${id}/installations/${module.id}` as const;
  const open = async (interruption: Interruption | null) => {
    const [{ value: offer, tag }, installed] = await Promise.all([
      readTagged(`/${id}/availableModules/${module.id}?language=${language}`),
      isNew ? null : callApi('GET', path),
    ]);
    const { name, terms, dataAreaIds } = offer;
    const areTermsNew = (installed === null ? terms : (installed.pendingConsent?.terms ?? [])).length > 0;
    const missing = isNew ? offer.dependencies.filter(({ installed: isThere }) => !isThere) : [];
    dialogs.form({
      title: texts.installTitle(name),
      action: isNew ? texts.install : common.save,
      fields: {
        areas: {
          initial: interruption?.areas ?? installed?.acceptedDataAreaIds ?? dataAreaIds,
          show: (chosen, onChoose) => <Agreement {...{ offer, interruption, chosen, onChoose }} />,
        },
        isAgreed: {
          initial: false,
          show: (checked, onChange) => <Checkbox {...{ checked, onChange }}>{texts.acceptTerms}</Checkbox>,
        },
      },
      shown: () => (areTermsNew ? ['areas', 'isAgreed'] : ['areas']),
      below: () => <MissingModules modules={missing} />,
      isReady: ({ isAgreed }) => missing.length === 0 && (isAgreed || !isNew || !areTermsNew),
      submit: async ({ areas, isAgreed }) => {
        const body = {
          acceptedDataAreaIds: dataAreaIds.filter((each) => areas.includes(each)),
          ...(areTermsNew && isAgreed && { acceptedTerms: terms.map(({ sha256 }) => sha256) }),
        };
        await callApi('PUT', path, body, tag).catch((error: unknown) => {
          if (!(error instanceof CallError && error.status === PRECONDITION_FAILED)) throw error;
          return open({ changes: error.changes, areas });
        });
      },
      reload,
    });
  };
  return () => open(null);
}

interface AgreementProps extends AreaChoiceProps {
  readonly interruption: Interruption | null;
}

/** All that the farmer agrees to, and what of it has changed since it was shown before. */
function Agreement({ offer, interruption, ...choice }: AgreementProps) {
  const texts = useTexts().market;
  return (
    <>
      {interruption !== null && <ChangedOffer changes={interruption.changes} />}
      <AreaChoice {...choice} offer={offer} />
      <h3>{texts.prices}</h3>
      <PriceList prices={offer.prices} />
      <Documents offer={offer} />
    </>
  );
}

/** What has changed, which screen readers read at once. */
function ChangedOffer({ changes }: Pick<Interruption, 'changes'>) {
  const texts = useTexts().market;
  const words = useAreaWords();
  const { parts = [], addedDataAreaIds = [] } = changes ?? {};
  const added = addedDataAreaIds.map((id) => `+ ${words(id).name}`).join(', ');
  const nameOf = (part: (typeof parts)[number]) =>
    part === 'dataAreas' && added !== '' ? `${texts.parts[part]} (${added})` : texts.parts[part];
  const names = parts.length === 0 ? [texts.application] : parts.map(nameOf);
  return (
    <p class="note warn" role="alert">
      {texts.offerChanged(names.join(', '))}
    </p>
  );
}

function MissingModules({ modules }: { readonly modules: Schemas['AvailableModule']['dependencies'] }) {
  const texts = useTexts().market;
  if (modules.length === 0) return null;
  const names = modules.map(({ moduleId, name }) => name ?? texts.unknownModule(moduleId));
  return (
    <p class="note warn">
      {texts.missing} {names.join(', ')}
    </p>
  );
}

interface AreaChoiceProps {
  readonly offer: Schemas['AvailableModule'];
  readonly chosen: readonly string[];
  readonly onChoose: (ids: string[]) => void;
}

function AreaChoice({ offer, chosen, onChoose }: AreaChoiceProps) {
  const { dataAreaIds: ids } = offer;
  const texts = useTexts().market;
  const reasonOf = useAreaReasons(offer);
  const words = useAreaWords();
  return (
    <fieldset>
      <legend>{ids.length === 0 ? texts.nothing : texts.installText}</legend>
      {ids.map((id) => (
        <Checkbox
          key={id}
          hint={[words(id).description, reasonOf(id)].join(' ').trim()}
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
