import type { Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

type Releases = Schemas['ModuleReleases'];

interface Share {
  readonly revision: number;
  /** For people. */
  readonly who: string;
  /** In percent; named organizations have no width. */
  readonly percent: number;
  readonly tone: 'good' | 'busy';
}

const WHOLE = 100;
const HEIGHT = 6;

/** A bar of all organizations, divided by the revision that they see. */
export function ReleasePicture({ releases }: { readonly releases: Releases }) {
  const texts = useTexts().releases;
  const shares = useShares(releases);
  if (shares.length === 0) return <p class="empty">{texts.nothing}</p>;
  const labels = shares.map(({ revision, who }) => texts.share(revision, who));
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
        aria-label={labels.join(', ')}
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
        {shares.map(({ revision, tone }, index) => (
          <span key={revision} class={`legend tone-${tone}`}>
            {labels[index]}
          </span>
        ))}
      </div>
    </figure>
  );
}

function useShares({ currentRevision, ring }: Releases): readonly Share[] {
  const texts = useTexts().releases;
  const who = useRingText();
  const ringPercent = ring?.percent ?? 0;
  const shares: Share[] = [];
  if (ring !== null)
    shares.push({ revision: ring.revision, who: who(ring), percent: ringPercent, tone: 'busy' });
  if (currentRevision !== null)
    shares.push({
      revision: currentRevision,
      who: ring === null ? texts.everyone : texts.everyoneElse,
      percent: WHOLE - ringPercent,
      tone: 'good',
    });
  return shares;
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
