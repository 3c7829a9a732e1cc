import { useState } from 'preact/hooks';
import { Badge, Time } from '../parts/facts.tsx';
import { Checkbox } from '../parts/fields.tsx';
import { ListTable } from '../parts/lists.tsx';
import { Button, ProblemNote, useAction, useOrganization } from '../parts/page.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
import { type ResourceList, useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { OfferSection } from './offer-section.tsx';
import { previewAddress } from './preview-page.tsx';
import { useReleaseDialogs } from './release-dialogs.tsx';
import { ReleasePicture, useRingText } from './release-picture.tsx';

type Releases = Schemas['ModuleReleases'];
type Revision = Schemas['Revision'];
type State = Schemas['RevisionRecord']['state'];

interface ReleasesTabProps {
  readonly releases: Releases;
  /** Reads the module and its releases again. */
  readonly onChanged: () => Promise<void>;
}

/** The revision of a module that each farmer sees, and the actions that change it. */
export function ReleasesTab({ releases, onChanged }: ReleasesTabProps) {
  const texts = useTexts().releases;
  const { id, isAdmin } = useOrganization();
  const list = useList(`/${id}/modules/${releases.moduleId}/revisions`);
  const changed = async () => {
    await Promise.all([list.reload(), onChanged()]);
  };
  return (
    <>
      <p class="lead">{texts.lead}</p>
      <div class="charts">
        <ReleasePicture releases={releases} />
      </div>
      <ReleaseTable releases={releases} list={list} onChanged={changed} />
      {isAdmin && (
        <section>
          <Policy releases={releases} onChanged={changed} />
        </section>
      )}
      <OfferSection releases={releases} onChanged={changed} />
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

interface ReleaseTableProps extends ReleasesTabProps {
  readonly list: ResourceList<Revision>;
}

function ReleaseTable({ releases, list, onChanged }: ReleaseTableProps) {
  const { common, vendor, releases: texts } = useTexts();
  const { isAdmin } = useOrganization();
  const dialogs = useReleaseDialogs(releases, onChanged);
  return (
    <ListTable
      label={vendor.tabs.releases}
      of={list}
      empty=""
      columns={[
        [common.revision, ({ revision }) => revision],
        [texts.listing, (revision) => <PreviewLink {...{ releases, revision }} />],
        [common.status, (revision) => <StateBadge {...{ releases, revision }} />],
        [texts.seenBy, (revision) => <SeenBy {...{ releases, revision }} />],
        [vendor.revisions.created, ({ createdAt }) => <Time value={createdAt} />],
      ]}
      sentence={(revision) => (
        <>
          <strong>
            {common.revision} {revision.revision}
          </strong>{' '}
          <StateBadge {...{ releases, revision }} />{' '}
          <small>
            <Time value={revision.createdAt} />
          </small>
          <div>
            {texts.seenBy}: <SeenBy {...{ releases, revision }} />
          </div>
          <p>
            <PreviewLink {...{ releases, revision }} />
          </p>
        </>
      )}
      isReadOnly={!isAdmin}
      actions={(revision) => <RowAction {...{ releases, revision, dialogs }} />}
    />
  );
}

interface RevisionProps {
  readonly releases: Releases;
  readonly revision: Revision;
}

function PreviewLink({ releases: { moduleId }, revision: { revision } }: RevisionProps) {
  const texts = useTexts().releases;
  const { id } = useOrganization();
  return (
    <a href={previewAddress(id, moduleId, revision)} aria-label={`${texts.viewAsFarmer}: ${revision}`}>
      {texts.viewAsFarmer}
    </a>
  );
}

function StateBadge({ releases, revision }: RevisionProps) {
  const texts = useTexts().releases;
  const state = stateOf(releases, revision);
  return <Badge tone={TONES[state]}>{texts.states[state]}</Badge>;
}

function SeenBy({ releases, revision }: RevisionProps) {
  const texts = useTexts().releases;
  const ringText = useRingText();
  const { ring, previews } = releases;
  const state = stateOf(releases, revision);
  if (state === 'current') return <>{ring === null ? texts.everyone : texts.everyoneElse}</>;
  const named =
    state === 'ring'
      ? ring?.organizationIds
      : previews.find((each) => each.revision === revision.revision)?.organizationIds;
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

interface RowActionProps extends RevisionProps {
  readonly dialogs: ReturnType<typeof useReleaseDialogs>;
}

/** The actions on a revision: none on the one that everyone sees. */
function RowAction({ releases: { currentRevision, ring }, revision, dialogs }: RowActionProps) {
  const texts = useTexts().releases;
  const { revision: number, releasedAt } = revision;
  const isCurrent = number === currentRevision;
  if (isCurrent && ring === null) return null;
  const isOlder = releasedAt !== null && currentRevision !== null && number < currentRevision;
  const dialog = (isOlder || isCurrent) && ring?.revision !== number ? 'rollBack' : 'release';
  const text = dialog === 'release' ? texts.release : isCurrent ? texts.endRing : texts.rollBack;
  return (
    <Button
      {...{ text, about: String(number) }}
      class={dialog === 'release' ? 'small' : 'secondary outline small'}
      onClick={() => dialogs[dialog](revision)}
    />
  );
}

/** Whether an import releases its revision. */
function Policy({ releases: { moduleId, releasePolicy }, onChanged }: ReleasesTabProps) {
  const texts = useTexts().releases;
  const { id } = useOrganization();
  /** The reader's choice, until the service has stored it. */
  const [chosen, setChosen] = useState<boolean | null>(null);
  const { error, run } = useAction();
  const choose = async (isManual: boolean) => {
    setChosen(isManual);
    try {
      await callApi('PATCH', `/${id}/modules/${moduleId}`, {
        releasePolicy: isManual ? 'manual' : 'immediate',
      });
      await onChanged();
    } finally {
      setChosen(null);
    }
  };
  return (
    <>
      <Checkbox
        checked={chosen ?? releasePolicy === 'manual'}
        onChange={(isManual) => void run(() => choose(isManual))}
      >
        {texts.manual}
      </Checkbox>
      <ProblemNote error={error} />
    </>
  );
}
