import type { ComponentChildren } from 'preact';
import { Badge } from '../parts/facts.tsx';
import { useOrganization } from '../parts/page.tsx';
import type { Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

type OfferedModule = Schemas['AvailableModuleSummary'];

interface MarketLinkProps {
  /** The part of the address after the market. */
  readonly to: string;
  readonly children: ComponentChildren;
}

/** A link within the market. A vendor, who previews an offer, has no market: then its text alone. */
export function MarketLink({ to, children }: MarketLinkProps) {
  const { id, kind } = useOrganization();
  return kind === 'farmer' ? <a href={`/portal/${id}/market${to}`}>{children}</a> : <>{children}</>;
}

/** The vendor of a module, as a link to the vendor's modules. */
export function VendorLink({
  of: { vendorId, vendorName },
}: {
  readonly of: Pick<OfferedModule, 'vendorId' | 'vendorName'>;
}) {
  const texts = useTexts().market;
  return <MarketLink to={`?vendorId=${vendorId}`}>{texts.by(vendorName)}</MarketLink>;
}

interface VerificationProps {
  readonly of: Pick<OfferedModule, 'vendorVerified'>;
}

/** Whether the operator of the service has checked who the vendor is. */
export function Verification({ of: { vendorVerified } }: VerificationProps) {
  const texts = useTexts().market;
  const words = vendorVerified ? texts.verified : texts.notVerified;
  return (
    <>
      <Badge tone={vendorVerified ? 'good' : 'warn'}>{words.badge}</Badge> <small>{words.meaning}</small>
    </>
  );
}
