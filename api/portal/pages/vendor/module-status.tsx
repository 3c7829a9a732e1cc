import { Loaded } from '../parts/lists.tsx';
import { useOrganization } from '../parts/page.tsx';
import type { Schemas } from '../server/call-api.ts';
import { type Resource, useList, useResource } from '../server/use-resource.ts';
import { useFormats, useTexts } from '../texts/language.ts';
import { latestKeys } from './app-registrations.tsx';

interface ModuleStatusProps {
  readonly module: Schemas['Module'];
  readonly releases: Resource<Schemas['ModuleReleases']>;
}

/** What matters most about a module, in a line: whether farmers have it, its keys, and what its vendor does next. */
export function ModuleStatus({ module, releases }: ModuleStatusProps) {
  const { id } = useOrganization();
  const newest = useResource(`/${id}/modules/${module.id}/revisions/${module.newestRevision}`);
  const statistics = useResource(`/${id}/modules/${module.id}/statistics`);
  const keys = useList(`/${id}/apiClients/${module.id}?limit=200`);
  return (
    <section>
      <Loaded of={releases}>
        {(released) => (
          <Loaded of={newest}>
            {(revision) => (
              <Loaded of={statistics}>
                {({ installations }) => (
                  <Loaded of={keys}>
                    {(all) => (
                      <StatusLine
                        module={module}
                        releases={released}
                        newest={revision}
                        farms={installations.reduce((sum, { organizations }) => sum + organizations, 0)}
                        expiries={expiriesInUse(all)}
                      />
                    )}
                  </Loaded>
                )}
              </Loaded>
            )}
          </Loaded>
        )}
      </Loaded>
    </section>
  );
}

/** When the keys expire that work, and that no rotation has replaced. */
function expiriesInUse(keys: readonly Schemas['ApiKey'][]): readonly string[] {
  return latestKeys(keys)
    .map(({ expiresOn }) => expiresOn)
    .filter((each) => Date.parse(each) > Date.now());
}

interface Status {
  readonly module: Schemas['Module'];
  readonly releases: Schemas['ModuleReleases'];
  readonly newest: Schemas['RevisionRecord'];
  readonly farms: number;
  /** When each key in use expires. */
  readonly expiries: readonly string[];
}

function StatusLine(status: Status) {
  const texts = useTexts().vendor.status;
  const format = useFormats();
  const { id, isAdmin } = useOrganization();
  const { module, releases, newest, farms, expiries } = status;
  const { ring, quarantine } = releases;
  const [first] = expiries.toSorted();
  const facts = [
    ...(ring === null ? [] : [texts.ring(ring.revision)]),
    texts.farms(farms),
    first === undefined ? texts.noKey : texts.keys(expiries.length, format.until(first)),
  ];
  const next = nextStep(status);
  const tone = quarantine !== null ? 'bad' : next === null ? 'good' : 'warn';
  return (
    <p class={`note ${tone}`}>
      <strong>{texts[stateOf(releases)](releases.currentRevision ?? 0)}</strong> · {facts.join(' · ')}
      {isAdmin && next !== null && (
        <>
          {' '}
          · {texts.next}{' '}
          <a href={`/portal/${id}/modules/${module.id}/${next.tab}`}>{texts[next.step](newest.revision)}</a>
        </>
      )}
    </p>
  );
}

function stateOf({ currentRevision, quarantine, withdrawal }: Schemas['ModuleReleases']) {
  if (quarantine !== null) return 'stopped';
  if (currentRevision === null) return 'staged';
  return withdrawal === null ? 'live' : 'withdrawn';
}

const MONTH_MS = 30 * 86_400_000;

/** What the vendor does next, and the tab where; null: nothing. */
function nextStep({ module, newest: { state }, expiries }: Status) {
  // One that was released before was rolled back.
  if (state !== 'current' && state !== 'released') return { step: 'release', tab: 'releases' } as const;
  const readsData = module.descriptor.dataAreaIds.length > 0;
  if (readsData && expiries.length === 0) return { step: 'createKey', tab: 'dev' } as const;
  if (expiries.some((each) => Date.parse(each) < Date.now() + MONTH_MS))
    return { step: 'rotateKey', tab: 'dev' } as const;
  return null;
}
