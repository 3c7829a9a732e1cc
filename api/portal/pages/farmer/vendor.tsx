import { Badge } from '../parts/facts.tsx';
import { useOrganization } from '../parts/page.tsx';
import type { Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

type OfferedModule = Schemas['AvailableModuleSummary'];

/** The vendor of a module, as a link to the vendor's modules. */
export function VendorLink({
  of: { vendorId, vendorName },
}: {
  readonly of: Pick<OfferedModule, 'vendorId' | 'vendorName'>;
}) {
  const texts = useTexts().market;
  const { id } = useOrganization();
  return <a href={`/portal/${id}/market?vendorId=${vendorId}`}>{texts.by(vendorName)}</a>;
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
