import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { Badge } from '../parts/badge.tsx';
import { Checkbox } from '../parts/fields.tsx';
import { LoadedList } from '../parts/loaded.tsx';
import { Time } from '../parts/localized.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Table } from '../parts/table.tsx';
import { useAction } from '../parts/use-action.ts';
import type { Schemas } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { OfferSection } from './offer-section.tsx';
import { ReleaseDialog, RollBackDialog } from './release-dialogs.tsx';
import { ReleasePicture, useRingText } from './release-picture.tsx';

type Releases = Schemas['ModuleReleases'];
type Revision = Schemas['Revision'];
type State = Schemas['RevisionRecord']['state'];

interface ReleasesTabProps {
  readonly releases: Releases;
  /** Reads the module and its releases again. */
  readonly onChanged: () => Promise<void>;
}

/** The dialog that is open, about a revision. */
interface Open {
  readonly dialog: 'release' | 'rollBack';
  readonly revision: Revision;
}

/** Who sees which revision of a module, and what changes that. */
export function ReleasesTab({ releases, onChanged }: ReleasesTabProps) {
  const texts = useTexts().vendor.releases;
  const { id, isAdmin } = useOrganization();
  const list = useList(`/${id}/modules/${releases.moduleId}/revisions`);
  const [open, setOpen] = useState<Open | null>(null);
  const changed = async () => {
    setOpen(null);
    await Promise.all([list.reload(), onChanged()]);
  };
  const dialog = {
    releases,
    onChanged: changed,
    onClose: () => setOpen(null),
  };
  return (
    <>
      <p class="lead">{texts.lead}</p>
      <div class="charts">
        <ReleasePicture releases={releases} />
      </div>
      <LoadedList of={list} empty="">
        {(revisions) => <ReleaseTable releases={releases} revisions={revisions} onOpen={setOpen} />}
      </LoadedList>
      {isAdmin && (
        <section>
          <Policy releases={releases} onChanged={changed} />
        </section>
      )}
      <OfferSection releases={releases} onChanged={changed} />
      {open?.dialog === 'release' && (
        <ReleaseDialog
          {...dialog}
          revision={open.revision.revision}
          isStaged={open.revision.releasedAt === null}
        />
      )}
      {open?.dialog === 'rollBack' && <RollBackDialog {...dialog} revision={open.revision.revision} />}
    </>
  );
}

const TONES: Readonly<Record<State, 'good' | 'busy' | 'warn' | 'calm'>> = {
  current: 'good',
  ring: 'busy',
  preview: 'busy',
  staged: 'warn',
  released: 'calm',
};

function stateOf({ currentRevision, ring, previews }: Releases, { revision, releasedAt }: Revision): State {
  if (revision === currentRevision) return 'current';
  if (revision === ring?.revision) return 'ring';
  if (releasedAt !== null) return 'released';
  return previews.some((each) => each.revision === revision) ? 'preview' : 'staged';
}

interface ReleaseTableProps {
  readonly releases: Releases;
  readonly revisions: readonly Revision[];
  readonly onOpen: (open: Open) => void;
}

function ReleaseTable({ releases, revisions, onOpen }: ReleaseTableProps) {
  const { common, vendor } = useTexts();
  const { isAdmin } = useOrganization();
  const texts = vendor.releases;
  const columns = [vendor.revision, common.status, texts.seenBy, vendor.revisions.created];
  return (
    <Table label={vendor.tabs.releases} columns={isAdmin ? [...columns, common.actions] : columns}>
      {revisions.map((revision) => {
        const state = stateOf(releases, revision);
        return (
          <tr key={revision.revision}>
            <td>{revision.revision}</td>
            <td>
              <Badge tone={TONES[state]}>{texts.states[state]}</Badge>
            </td>
            <td>
              <SeenBy releases={releases} revision={revision.revision} state={state} />
            </td>
            <td>
              <Time value={revision.createdAt} />
            </td>
            {isAdmin && (
              <td class="row-actions">
                <RowAction releases={releases} revision={revision} onOpen={onOpen} />
              </td>
            )}
          </tr>
        );
      })}
    </Table>
  );
}

interface SeenByProps {
  readonly releases: Releases;
  readonly revision: number;
  readonly state: State;
}

function SeenBy({ releases: { ring, previews }, revision, state }: SeenByProps) {
  const texts = useTexts().vendor.releases;
  const ringText = useRingText();
  if (state === 'current') return <>{ring === null ? texts.everyone : texts.everyoneElse}</>;
  const named =
    state === 'ring'
      ? ring?.organizationIds
      : previews.find((each) => each.revision === revision)?.organizationIds;
  return (
    <>
      {state === 'ring' && ring !== null && ringText(ring)}
      {state !== 'ring' && named === undefined && texts.nobody}
      {named?.map((each) => (
        <div key={each}>
          <code>{each}</code>
        </div>
      ))}
    </>
  );
}

interface RowActionProps {
  readonly releases: Releases;
  readonly revision: Revision;
  readonly onOpen: (open: Open) => void;
}

/** What can be done with a revision: nothing with the one that everyone sees. */
function RowAction({ releases: { currentRevision, ring }, revision, onOpen }: RowActionProps) {
  const texts = useTexts().vendor.releases;
  const { revision: number, releasedAt } = revision;
  const isCurrent = number === currentRevision;
  if (isCurrent && ring === null) return null;
  const isOlder = releasedAt !== null && currentRevision !== null && number < currentRevision;
  const dialog = (isOlder || isCurrent) && ring?.revision !== number ? 'rollBack' : 'release';
  const text = dialog === 'release' ? texts.release : isCurrent ? texts.endRing : texts.rollBack;
  return (
    <button
      type="button"
      class={dialog === 'release' ? 'small' : 'small secondary outline'}
      aria-label={`${text}: ${number}`}
      onClick={() => onOpen({ dialog, revision })}
    >
      {text}
    </button>
  );
}

/** Whether an import releases its revision. */
function Policy({ releases: { moduleId, releasePolicy }, onChanged }: ReleasesTabProps) {
  const texts = useTexts().vendor.releases;
  const { id } = useOrganization();
  /** What the reader has chosen, until the service has it. */
  const [chosen, setChosen] = useState<boolean | null>(null);
  const { error, run } = useAction(async (isManual: boolean) => {
    setChosen(isManual);
    try {
      await callApi('PATCH', `/${id}/modules/${moduleId}`, {
        releasePolicy: isManual ? 'manual' : 'immediate',
      });
      await onChanged();
    } finally {
      setChosen(null);
    }
  });
  return (
    <>
      <Checkbox checked={chosen ?? releasePolicy === 'manual'} onChange={(isManual) => void run(isManual)}>
        {texts.manual}
      </Checkbox>
      <ProblemNote error={error} />
    </>
  );
}
