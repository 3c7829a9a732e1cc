import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { LongTextField, Select, TextField } from '../parts/fields.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import type { Schemas } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

interface ReleaseDialogProps {
  readonly releases: Schemas['ModuleReleases'];
  readonly revision: number;
  readonly onChanged: () => Promise<void>;
  readonly onClose: () => void;
}

const AUDIENCES = ['preview', 'ring', 'everyone'] as const;

type Audience = (typeof AUDIENCES)[number];

function idsOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter((each) => each !== '');
}

/** What the reader has entered. */
interface Entered {
  readonly audience: Audience;
  /** A number, or empty. */
  readonly percent: string;
  readonly named: string;
}

/** Shows a revision to named organizations, to a ring or to everyone. */
export function ReleaseDialog({
  releases,
  revision,
  isStaged,
  onChanged,
  onClose,
}: ReleaseDialogProps & { readonly isStaged: boolean }) {
  const texts = useTexts().vendor.releases;
  const { id } = useOrganization();
  const { moduleId, ring, previews } = releases;
  const shown = ring?.revision === revision ? ring : null;
  const previewers = previews.find((each) => each.revision === revision)?.organizationIds ?? [];
  const [entered, setEntered] = useState<Entered>({
    audience: isStaged ? 'preview' : 'everyone',
    percent: String(shown?.percent ?? ''),
    named: (shown?.organizationIds ?? previewers).join('\n'),
  });
  const organizationIds = idsOf(entered.named);
  const submit = async () => {
    const address = `/${id}/modules/${moduleId}/revisions/${String(revision)}` as const;
    if (entered.audience === 'preview') await callApi('PUT', `${address}/previewers`, { organizationIds });
    else await callApi('POST', `${address}/release`, entered.audience === 'everyone' ? {} : ringOf(entered));
    await onChanged();
  };
  return (
    <FormDialog
      title={texts.releaseTitle(revision)}
      action={texts.release}
      isReady={entered.audience !== 'ring' || entered.percent !== '' || organizationIds.length > 0}
      onSubmit={submit}
      onClose={onClose}
    >
      <Select
        label={texts.audience}
        options={AUDIENCES.filter((each) => isStaged || each !== 'preview').map((each) => [
          each,
          texts.audiences[each],
        ])}
        value={entered.audience}
        onChange={(value) =>
          setEntered({ ...entered, audience: AUDIENCES.find((each) => each === value) ?? 'everyone' })
        }
      />
      <AudienceFields entered={entered} current={releases.currentRevision} onChange={setEntered} />
    </FormDialog>
  );
}

function ringOf({ percent, named }: Entered) {
  const organizationIds = idsOf(named);
  return {
    ...(organizationIds.length > 0 && { organizationIds }),
    ...(percent !== '' && { percent: Number(percent) }),
  };
}

interface AudienceFieldsProps {
  readonly entered: Entered;
  readonly current: number | null;
  readonly onChange: (entered: Entered) => void;
}

function AudienceFields({ entered, current, onChange }: AudienceFieldsProps) {
  const texts = useTexts().vendor.releases;
  const { audience, percent, named } = entered;
  if (audience === 'everyone') return <p>{texts.everyoneText(current)}</p>;
  return (
    <>
      {audience === 'ring' && (
        <TextField
          {...{ label: texts.share100, hint: texts.shareHint, type: 'number', min: 1, max: 100 }}
          value={percent}
          onInput={(text) => onChange({ ...entered, percent: text })}
        />
      )}
      <LongTextField
        label={texts.organizations}
        hint={audience === 'preview' ? texts.previewHint : texts.organizationsHint}
        value={named}
        onInput={(text) => onChange({ ...entered, named: text })}
      />
    </>
  );
}

/** Gives everyone an older revision once the reader has confirmed it. */
export function RollBackDialog({ releases, revision, onChanged, onClose }: ReleaseDialogProps) {
  const texts = useTexts().vendor.releases;
  const { id } = useOrganization();
  const submit = async () => {
    const number = String(revision);
    await callApi('POST', `/${id}/modules/${releases.moduleId}/revisions/${number}/release`, {});
    await onChanged();
  };
  return (
    <FormDialog
      title={texts.rollBackTitle(revision)}
      action={texts.rollBack}
      isDangerous
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{texts.rollBackText(revision)}</p>
    </FormDialog>
  );
}
