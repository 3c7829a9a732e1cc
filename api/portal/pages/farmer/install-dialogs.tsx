import { useDialogs } from '../parts/dialogs.tsx';
import { Checkbox } from '../parts/fields.tsx';
import { Button, RowButton, useOrganization } from '../parts/page.tsx';
import { Markdown } from '../parts/vendor-content.tsx';
import { callApi, CallError, PRECONDITION_FAILED, readTagged, type Schemas } from '../server/call-api.ts';
import { useLanguage, useTexts } from '../texts/language.ts';
import { Agreement, type Interruption } from './agreement.tsx';
import {
  areTermsNew,
  type Decided,
  type Decision,
  isDecision,
  isUpdate,
  useDecisionWords,
} from './install-words.ts';

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
  const { module, installation, reload } = props;
  const dialogs = useDialogs(reload);
  const install = useInstall(props);
  const about = module.name;
  const uninstall = () =>
    dialogs.confirm({
      title: texts.uninstallTitle(module.name),
      text: texts.uninstallText,
      action: texts.uninstall,
      act: () => callApi('DELETE', `/${id}/installations/${module.id}`),
    });
  if (!isAdmin) return null;
  if (installation === null)
    return canInstall ? <Button {...{ text: texts.install, about }} class="small" onClick={install} /> : null;
  return (
    <>
      <RowButton
        text={installation.pendingConsent === null ? texts.change : texts.review}
        about={about}
        onClick={install}
      />
      <RowButton {...{ text: texts.uninstall, about }} onClick={uninstall} />
    </>
  );
}

/** Returns what lets the reader choose which data areas a module may read, and accept its terms. */
function useInstall({ module, installation, reload }: InstallProps) {
  const texts = useTexts().market;
  const { id } = useOrganization();
  const language = useLanguage();
  const dialogs = useDialogs(reload);
  const words = useDecisionWords();
  const path = `/${id}/installations/${module.id}` as const;
  const open = async (interruption: Interruption | null) => {
    const { value: offer, tag } = await readTagged(
      `/${id}/availableModules/${module.id}?language=${language}`,
    );
    // After the offer: what changes in between makes the offer's tag outdated, so nobody agrees to what was not shown.
    const installed = installation === null ? null : await callApi('GET', path);
    const decided = { offer, installed };
    const titles = installed?.pendingConsent ? texts.updateTitle : texts.accessTitle;
    const missing = installed === null ? offer.dependencies.filter(({ installed: isThere }) => !isThere) : [];
    dialogs.form<Decision>({
      title: (installed === null ? texts.installTitle : titles)(offer.name),
      action: (decision) => words(decided, decision),
      fields: {
        areas: {
          initial: interruption?.areas ?? installed?.acceptedDataAreaIds ?? offer.dataAreaIds,
          show: (chosen, onChoose) => <Agreement {...{ offer, installed, interruption, chosen, onChoose }} />,
        },
        isAgreed: {
          initial: false,
          show: (checked, onChange) => <Checkbox {...{ checked, onChange }}>{texts.acceptTerms}</Checkbox>,
        },
      },
      shown: () => (areTermsNew(decided) ? ['areas', 'isAgreed'] : ['areas']),
      below: () => <MissingModules modules={missing} />,
      isReady: (decision) => missing.length === 0 && isDecision(decided, decision),
      submit: async (decision) => {
        const isChanged = await sendDecision(path, decided, decision, tag);
        if (isChanged !== null) return open(isChanged);
        if (isUpdate(decided, decision) && offer.releaseNotes !== null) {
          const title = texts.whatIsNew(`${offer.name} ${offer.vendorVersion ?? ''}`.trim());
          dialogs.note({ title, content: <Markdown text={offer.releaseNotes} /> });
        }
      },
    });
  };
  return () => open(null);
}

/** Sends a decision; returns how the offer that it was about has changed meanwhile, null: it has not. @throws CallError */
async function sendDecision(
  path: `/${string}/installations/${string}`,
  decided: Decided,
  { areas, isAgreed }: Decision,
  tag: string,
): Promise<Interruption | null> {
  const { terms, dataAreaIds } = decided.offer;
  const body = {
    acceptedDataAreaIds: dataAreaIds.filter((each) => areas.includes(each)),
    ...(areTermsNew(decided) && isAgreed && { acceptedTerms: terms.map(({ sha256 }) => sha256) }),
  };
  try {
    await callApi('PUT', path, body, tag);
    return null;
  } catch (error) {
    if (!(error instanceof CallError && error.status === PRECONDITION_FAILED)) throw error;
    return { changes: error.changes, areas };
  }
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
