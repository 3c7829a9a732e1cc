import type { OutboundConfig } from '../../shared/config/identity-config.ts';
import { OutboundFetch } from '../../shared/outbound/outbound-fetch.ts';
import { tryStep, type ProbeStep } from '../../shared/process/probe-step.ts';
import { IssuerKeys } from '../trusted-publishing/issuer-keys.ts';

/** Fetches the keys of the issuers that vendors may trust, as the exchange of a CI token does. Never throws. */
export async function probeOutbound(outbound: OutboundConfig): Promise<readonly ProbeStep[]> {
  const { trustedIssuers } = outbound;
  if (trustedIssuers.length === 0) {
    const detail =
      'not tried: vendors may register any issuer, because TRUSTED_PUBLISHING_ISSUERS names none';
    return [{ step: 'issuers of CI', ok: true, detail, advice: null }];
  }
  const keys = new IssuerKeys(new OutboundFetch(outbound));
  return Promise.all(
    trustedIssuers.map((issuer) =>
      tryStep(
        new URL(issuer).hostname,
        async () => {
          await keys.keysOf(issuer);
          return 'its keys can be fetched';
        },
        (error) => ({
          detail: `The keys of ${issuer} cannot be fetched: ${error instanceof Error ? error.message : String(error)}.`,
          advice:
            'Allow outgoing connections to port 443 and DNS, or correct TRUSTED_PUBLISHING_ISSUERS. A proxy is not used.',
        }),
      ),
    ),
  );
}
