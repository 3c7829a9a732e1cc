import type { Schemas } from '../server/api-types.ts';
import { useTexts } from '../texts/language.ts';

type Notices = Pick<Schemas['ModuleReleases'], 'withdrawal' | 'deprecation' | 'quarantine'>;

/** What farmers read about the module, and why an operator has stopped it. */
export function ModuleNotices({ withdrawal, deprecation, quarantine }: Notices) {
  const texts = useTexts().vendor.releases;
  return (
    <>
      {quarantine !== null && <p class="note bad">{texts.quarantined(quarantine.reason)}</p>}
      {withdrawal !== null && <p class="note warn">{texts.withdrawn(withdrawal.reason)}</p>}
      {deprecation !== null && <p class="note warn">{texts.deprecated(deprecation.message)}</p>}
    </>
  );
}
