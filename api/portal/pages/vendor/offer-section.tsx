import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useAction } from '../parts/use-action.ts';
import type { Schemas } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';
import { DeprecateDialog, WithdrawDialog } from './offer-dialogs.tsx';

interface OfferSectionProps {
  readonly releases: Schemas['ModuleReleases'];
  readonly onChanged: () => Promise<void>;
}

/** Whether farmers can install the module, and what the vendor advises. */
export function OfferSection({ releases, onChanged }: OfferSectionProps) {
  const texts = useTexts().vendor.releases;
  const { isAdmin } = useOrganization();
  const { withdrawal } = releases;
  return (
    <section>
      <h2>{texts.offer}</h2>
      <p>{withdrawal === null ? texts.offered : texts.withdrawn(withdrawal.reason)}</p>
      {isAdmin && <OfferActions releases={releases} onChanged={onChanged} />}
    </section>
  );
}

function OfferActions({ releases, onChanged }: OfferSectionProps) {
  const texts = useTexts().vendor.releases;
  const { id } = useOrganization();
  const { moduleId, withdrawal, deprecation } = releases;
  const [open, setOpen] = useState<'withdraw' | 'deprecate' | null>(null);
  const { isBusy, error, run } = useAction(async (verb: 'offer' | 'deprecate') => {
    if (verb === 'offer') await callApi('POST', `/${id}/modules/${moduleId}/offer`);
    else await callApi('POST', `/${id}/modules/${moduleId}/deprecate`, { message: null });
    await onChanged();
  });
  const close = () => setOpen(null);
  const changed = async () => {
    close();
    await onChanged();
  };
  const opening = (dialog: 'withdraw' | 'deprecate') => () => setOpen(dialog);
  const ending = (verb: 'offer' | 'deprecate') => () => void run(verb);
  const actions = [
    withdrawal === null
      ? ([texts.withdraw, opening('withdraw')] as const)
      : ([texts.offerAgain, ending('offer')] as const),
    deprecation === null
      ? ([texts.deprecate, opening('deprecate')] as const)
      : ([texts.endDeprecation, ending('deprecate')] as const),
  ];
  return (
    <>
      <ProblemNote error={error} />
      <div class="button-row">
        {actions.map(([text, act]) => (
          <button key={text} type="button" class="secondary outline" disabled={isBusy} onClick={act}>
            {text}
          </button>
        ))}
      </div>
      {open === 'withdraw' && <WithdrawDialog moduleId={moduleId} onChanged={changed} onClose={close} />}
      {open === 'deprecate' && <DeprecateDialog moduleId={moduleId} onChanged={changed} onClose={close} />}
    </>
  );
}
