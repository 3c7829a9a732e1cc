import type { Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

type Releases = Schemas['ModuleReleases'];

const WHOLE = 100;
const HEIGHT = 6;

/** A bar of all organizations, divided by the revision that they see. */
export function ReleasePicture({ releases }: { readonly releases: Releases }) {
  const texts = useTexts().releases;
  const shares = useShares(releases);
  if (shares.length === 0) return <p class="empty">{texts.nothing}</p>;
  return (
    <figure class="card chart">
      <figcaption>
        <strong>{texts.picture}</strong>
      </figcaption>
      <svg
        viewBox={`0 0 ${WHOLE} ${HEIGHT}`}
        preserveAspectRatio="none"
        class="share-bar"
        role="img"
        aria-label={shares.map(({ label }) => label).join(', ')}
      >
        {shares.map(({ revision, percent, tone }, index) => (
          <rect
            key={revision}
            class={`tone-${tone}`}
            x={shares.slice(0, index).reduce((sum, each) => sum + each.percent, 0)}
            y={0}
            width={percent}
            height={HEIGHT}
          />
        ))}
      </svg>
      <div class="row quiet">
        {shares.map(({ revision, tone, label }) => (
          <span key={revision} class={`legend tone-${tone}`}>
            {label}
          </span>
        ))}
      </div>
    </figure>
  );
}

/** What each part of the bar says, and its width in percent; named organizations have no width. */
function useShares({ currentRevision, ring }: Releases) {
  const texts = useTexts().releases;
  const ringText = useRingText();
  const ringPercent = ring?.percent ?? 0;
  const rest = ring === null ? texts.everyone : texts.everyoneElse;
  const share = (revision: number | undefined | null, who: string, percent: number, tone: 'good' | 'busy') =>
    typeof revision === 'number' ? [{ revision, label: texts.share(revision, who), percent, tone }] : [];
  return [
    ...share(ring?.revision, ring === null ? '' : ringText(ring), ringPercent, 'busy'),
    ...share(currentRevision, rest, WHOLE - ringPercent, 'good'),
  ];
}

/** Returns who is in a ring, in words. */
export function useRingText(): (ring: Schemas['ReleaseRing']) => string {
  const texts = useTexts().releases;
  return ({ percent, organizationIds }) =>
    [
      ...(percent === null ? [] : [texts.percent(percent)]),
      ...(organizationIds.length === 0 ? [] : [texts.named(organizationIds.length)]),
    ].join(' + ');
}
