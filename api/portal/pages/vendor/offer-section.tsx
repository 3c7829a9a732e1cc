import { useModuleName } from '../parts/catalogue.ts';
import { useDialogs } from '../parts/dialogs.tsx';
import { reasonField, Select } from '../parts/fields.tsx';
import { Button, Section, useOrganization } from '../parts/page.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';

interface OfferSectionProps {
  readonly releases: Schemas['ModuleReleases'];
  readonly onChanged: () => Promise<void>;
}

/** Whether farmers can install the module, and what the vendor advises. */
export function OfferSection({ releases, onChanged }: OfferSectionProps) {
  const texts = useTexts().releases;
  const { isAdmin } = useOrganization();
  const { withdrawal } = releases;
  return (
    <Section title={texts.offer}>
      <p>{withdrawal === null ? texts.offered : texts.withdrawn(withdrawal.reason)}</p>
      {isAdmin && <OfferActions releases={releases} onChanged={onChanged} />}
    </Section>
  );
}

function OfferActions({ releases: { moduleId, withdrawal, deprecation }, onChanged }: OfferSectionProps) {
  const texts = useTexts().releases;
  const { id } = useOrganization();
  const path = `/${id}/modules/${moduleId}` as const;
  const { withdraw, deprecate } = useOfferDialogs(path, moduleId, onChanged);
  const offerAgain = () => callApi('POST', `${path}/offer`).then(onChanged);
  const endDeprecation = () => callApi('POST', `${path}/deprecate`, { message: null }).then(onChanged);
  const actions = [
    withdrawal === null
      ? { text: texts.withdraw, onClick: withdraw }
      : { text: texts.offerAgain, onClick: offerAgain },
    deprecation === null
      ? { text: texts.deprecate, onClick: deprecate }
      : { text: texts.endDeprecation, onClick: endDeprecation },
  ];
  return (
    <div class="row">
      {actions.map((action) => (
        <Button key={action.text} {...action} class="secondary outline" />
      ))}
    </div>
  );
}

/** Returns functions that stop new installations, and advise farmers to replace the module. */
function useOfferDialogs(
  path: `/${string}/modules/${string}`,
  moduleId: string,
  reload: () => Promise<void>,
) {
  const { common, releases: texts } = useTexts();
  const dialogs = useDialogs(reload);
  const withdraw = () =>
    dialogs.form({
      title: texts.withdrawTitle,
      text: texts.withdrawText,
      action: texts.withdraw,
      fields: { reason: reasonField({ label: common.reason, hint: texts.reasonHint }) },
      submit: ({ reason }) => callApi('POST', `${path}/withdraw`, { reason }),
    });
  const deprecate = () =>
    dialogs.form({
      title: texts.deprecateTitle,
      action: texts.deprecate,
      fields: {
        message: reasonField({ label: texts.message, hint: texts.reasonHint }),
        successor: {
          initial: '',
          show: (value, onChange) => <SuccessorSelect {...{ of: moduleId, value, onChange }} />,
        },
      },
      submit: ({ message, successor }) =>
        callApi('POST', `${path}/deprecate`, { message, successorModuleId: successor || null }),
    });
  return { withdraw, deprecate };
}

interface SuccessorSelectProps {
  /** A module. */
  readonly of: string;
  readonly value: string;
  readonly onChange: (moduleId: string) => void;
}

/** The vendor's other modules, or none of them. */
function SuccessorSelect({ of, value, onChange }: SuccessorSelectProps) {
  const texts = useTexts().releases;
  const { id: organizationId } = useOrganization();
  const nameOf = useModuleName();
  const modules = useList(`/${organizationId}/modules?limit=200`);
  const others = modules.value?.filter(({ id }) => id !== of) ?? [];
  const named = others.map(({ id, translations }) => [id, nameOf(translations)] as const);
  return (
    <Select {...{ label: texts.successor, value, onChange }} options={[['', texts.noSuccessor], ...named]} />
  );
}
