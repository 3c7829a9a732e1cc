import { useOrganization } from '../organization.ts';
import { useDialogs } from '../parts/dialogs.tsx';
import { Select, TextField } from '../parts/fields.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

type Releases = Schemas['ModuleReleases'];

const AUDIENCES = ['preview', 'ring', 'everyone'] as const;

/** What the reader has entered. */
interface Entered {
  readonly audience: (typeof AUDIENCES)[number];
  /** A number, or empty. */
  readonly percent: string;
  readonly named: string;
}

/** Returns what shows a revision to others, and what gives everyone an older one. */
export function useReleaseDialogs(releases: Releases, reload: () => Promise<void>) {
  const texts = useTexts().releases;
  const { id } = useOrganization();
  const dialogs = useDialogs();
  const pathOf = (revision: number) =>
    `/${id}/modules/${releases.moduleId}/revisions/${String(revision)}` as const;
  const release = ({ revision, releasedAt }: Schemas['Revision']) =>
    dialogs.form({
      title: texts.releaseTitle(revision),
      action: texts.release,
      fields: {
        entered: {
          initial: enteredOf(releases, revision, releasedAt === null),
          show: (entered, onChange) => (
            <AudienceFields {...{ entered, onChange }} of={releases} isStaged={releasedAt === null} />
          ),
        },
      },
      isReady: ({ entered: { audience, percent, named } }) =>
        audience !== 'ring' || percent !== '' || idsOf(named).length > 0,
      submit: ({ entered }) =>
        entered.audience === 'preview'
          ? callApi('PUT', `${pathOf(revision)}/previewers`, { organizationIds: idsOf(entered.named) })
          : callApi('POST', `${pathOf(revision)}/release`, ringOf(entered)),
      reload,
    });
  const rollBack = ({ revision }: Schemas['Revision']) =>
    dialogs.confirm({
      title: texts.rollBackTitle(revision),
      text: texts.rollBackText(revision),
      action: texts.rollBack,
      act: () => callApi('POST', `${pathOf(revision)}/release`, {}),
      reload,
    });
  return { release, rollBack };
}

function enteredOf({ ring, previews }: Releases, revision: number, isStaged: boolean): Entered {
  const shown = ring?.revision === revision ? ring : null;
  const previewers = previews.find((each) => each.revision === revision)?.organizationIds ?? [];
  return {
    audience: isStaged ? 'preview' : 'everyone',
    percent: String(shown?.percent ?? ''),
    named: (shown?.organizationIds ?? previewers).join('\n'),
  };
}

function idsOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter((each) => each !== '');
}

/** The part of all organizations that sees a release; without members it is everyone. */
function ringOf({ audience, percent, named }: Entered) {
  const organizationIds = idsOf(named);
  if (audience === 'everyone') return {};
  return {
    ...(organizationIds.length > 0 && { organizationIds }),
    ...(percent !== '' && { percent: Number(percent) }),
  };
}

interface AudienceFieldsProps {
  readonly of: Releases;
  /** Whether nobody sees the revision yet, so that it can have a preview. */
  readonly isStaged: boolean;
  readonly entered: Entered;
  readonly onChange: (entered: Entered) => void;
}

/** Named organizations, a ring or everyone. */
function AudienceFields({ of, isStaged, entered, onChange }: AudienceFieldsProps) {
  const texts = useTexts().releases;
  const { audience, percent, named } = entered;
  const audiences = AUDIENCES.filter((each) => isStaged || each !== 'preview');
  return (
    <>
      <Select
        label={texts.audience}
        options={audiences.map((each) => [each, texts.audiences[each]])}
        value={audience}
        onChange={(value) =>
          onChange({ ...entered, audience: AUDIENCES.find((each) => each === value) ?? 'everyone' })
        }
      />
      {audience === 'everyone' && <p>{texts.everyoneText(of.currentRevision)}</p>}
      {audience === 'ring' && (
        <TextField
          {...{ label: texts.share100, hint: texts.shareHint, type: 'number', min: 1, max: 100 }}
          value={percent}
          onInput={(text) => onChange({ ...entered, percent: text })}
        />
      )}
      {audience !== 'everyone' && (
        <TextField
          {...{ type: 'lines', label: texts.organizations, value: named }}
          hint={audience === 'preview' ? texts.previewHint : texts.organizationsHint}
          onInput={(text) => onChange({ ...entered, named: text })}
        />
      )}
    </>
  );
}
