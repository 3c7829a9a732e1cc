import { useDialogs } from '../parts/dialogs.tsx';
import { choiceField, textField } from '../parts/fields.tsx';
import { useOrganization } from '../parts/page.tsx';
import { callApi, CallError, type Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

type Releases = Schemas['ModuleReleases'];

/** The fields for each audience. */
const FIELDS = {
  preview: ['audience', 'named'],
  ring: ['audience', 'percent', 'named'],
  everyone: ['audience'],
} as const;

/** Returns functions that release a revision, and roll back to an older one. */
export function useReleaseDialogs(releases: Releases, reload: () => Promise<void>) {
  const texts = useTexts().releases;
  const { id } = useOrganization();
  const dialogs = useDialogs(reload);
  const audienceFields = useAudienceFields(releases);
  const pathOf = (revision: number) =>
    `/${id}/modules/${releases.moduleId}/revisions/${String(revision)}` as const;
  const refusalOf = useReviewWords(releases);
  const releaseTo = async (revision: number, audience: ReturnType<typeof ringOf>) => {
    try {
      await callApi('POST', `${pathOf(revision)}/release`, audience);
    } catch (error) {
      if (!(error instanceof CallError) || error.code !== 'revision-awaits-review') throw error;
      dialogs.note(await refusalOf(revision));
    }
  };
  const release = ({ revision, releasedAt }: Schemas['Revision']) =>
    dialogs.form({
      title: texts.releaseTitle(revision),
      action: texts.release,
      fields: audienceFields(revision, releasedAt === null),
      shown: ({ audience }) => FIELDS[audience],
      below: ({ audience }) =>
        audience === 'everyone' && <p>{texts.everyoneText(releases.currentRevision)}</p>,
      isReady: ({ audience, percent, named }) =>
        audience !== 'ring' || percent !== '' || idsOf(named).length > 0,
      submit: ({ audience, percent, named }) =>
        audience === 'preview'
          ? callApi('PUT', `${pathOf(revision)}/previewers`, { organizationIds: idsOf(named) })
          : releaseTo(revision, audience === 'ring' ? ringOf(percent, named) : {}),
    });
  const rollBack = ({ revision }: Schemas['Revision']) =>
    dialogs.confirm({
      title: texts.rollBackTitle(revision),
      text: texts.rollBackText(revision),
      action: texts.rollBack,
      act: () => callApi('POST', `${pathOf(revision)}/release`, {}),
    });
  return { release, rollBack };
}

/** Returns what a refused first release answers: what the operator has decided, or that the decision is still to come. */
function useReviewWords({ moduleId }: Releases) {
  const texts = useTexts().releases;
  const { id } = useOrganization();
  return async (revision: number) => {
    const { items } = await callApi('GET', `/${id}/modules/${moduleId}/reviews?limit=200`);
    const declined = items.find((each) => each.revision === revision && each.decision === 'declined');
    return declined === undefined
      ? { title: texts.awaitsReviewTitle(revision), content: <p>{texts.awaitsReview}</p> }
      : {
          title: texts.declinedTitle(revision),
          content: (
            <>
              <p>{declined.decisionReason}</p>
              <p>{texts.declined}</p>
            </>
          ),
        };
  };
}

/** Returns the fields of a release; only a revision that was never released can have a preview. */
function useAudienceFields({ ring, previews }: Releases) {
  const texts = useTexts().releases;
  return (revision: number, isStaged: boolean) => {
    const shown = ring?.revision === revision ? ring : null;
    const previewers = previews.find((each) => each.revision === revision)?.organizationIds ?? [];
    return {
      audience: choiceField({
        ...{ label: texts.audience, options: texts.audiences },
        ...(isStaged ? { value: 'preview' } : { value: 'everyone', without: ['preview'] }),
      }),
      percent: textField({
        ...{ label: texts.share100, hint: texts.shareHint, value: String(shown?.percent ?? '') },
        ...{ type: 'number', min: 1, max: 100 },
      }),
      named: textField({
        ...{ type: 'lines', label: texts.organizations, hint: texts.organizationsHint },
        value: (shown?.organizationIds ?? previewers).join('\n'),
      }),
    };
  };
}

function idsOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter((each) => each !== '');
}

/** The part of all organizations that sees a release before everyone. */
function ringOf(percent: string, named: string) {
  const organizationIds = idsOf(named);
  return {
    ...(organizationIds.length > 0 && { organizationIds }),
    ...(percent !== '' && { percent: Number(percent) }),
  };
}
