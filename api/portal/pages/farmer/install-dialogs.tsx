import { useDialogs } from '../parts/dialogs.tsx';
import { Checkbox } from '../parts/fields.tsx';
import { Button, RowButton, useOrganization } from '../parts/page.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
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

/** Returns what lets the reader choose which data areas a module may read, and accept its terms. */
function useInstall({ module, installation, reload }: InstallProps) {
  const { common, market: texts } = useTexts();
  const { id } = useOrganization();
  const language = useLanguage();
  const dialogs = useDialogs();
  const isNew = installation === null;
  return async () => {
    const offer = await callApi('GET', `/${id}/availableModules/${module.id}?language=${language}`);
    const { name, terms, dataAreaIds } = offer;
    const areTermsNew = (isNew ? terms : (installation.pendingConsent?.terms ?? [])).length > 0;
    const missing = isNew ? offer.dependencies.filter(({ installed }) => !installed) : [];
    dialogs.form({
      title: texts.installTitle(name),
      action: isNew ? texts.install : common.save,
      fields: {
        areas: {
          initial: installation?.acceptedDataAreaIds ?? dataAreaIds,
          show: (chosen, onChoose) => (
            <>
              <AreaChoice {...{ ids: dataAreaIds, chosen, onChoose }} />
              <Documents offer={offer} />
            </>
          ),
        },
        isAgreed: {
          initial: false,
          show: (checked, onChange) => <Checkbox {...{ checked, onChange }}>{texts.acceptTerms}</Checkbox>,
        },
      },
      shown: () => (areTermsNew ? ['areas', 'isAgreed'] : ['areas']),
      below: () => <MissingModules modules={missing} />,
      isReady: ({ isAgreed }) => missing.length === 0 && (isAgreed || !isNew || !areTermsNew),
      submit: ({ areas, isAgreed }) =>
        callApi('PUT', `/${id}/installations/${module.id}`, {
          acceptedDataAreaIds: dataAreaIds.filter((each) => areas.includes(each)),
          ...(areTermsNew && isAgreed && { acceptedTerms: terms.map(({ sha256 }) => sha256) }),
        }),
      reload,
    });
  };
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
  readonly ids: readonly string[];
  readonly chosen: readonly string[];
  readonly onChoose: (ids: string[]) => void;
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
