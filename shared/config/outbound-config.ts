import type { SettingsReader } from './settings-reader.ts';

/** Which addresses may be called that vendors choose. */
export interface OutboundConfig {
  /** Also this machine, by plain http too: for the local stack. */
  readonly allowLoopback: boolean;
  /** The proxy that every such call goes through; null: none. */
  readonly proxyUrl: string | null;
  /** The issuers that vendors may trust; empty: every issuer on the public internet. */
  readonly trustedIssuers: readonly string[];
}

/** Reads which addresses may be called. */
export function readOutbound(read: SettingsReader): OutboundConfig {
  const allowLoopback = read.boolean('OUTBOUND_ALLOW_LOOPBACK', false);
  if (allowLoopback && read.optional('NODE_ENV') === 'production')
    read.addIssue(
      'OUTBOUND_ALLOW_LOOPBACK',
      'must be 0 in production: vendors could call the services of this machine',
    );
  const trustedIssuers = read.list('TRUSTED_PUBLISHING_ISSUERS');
  for (const issuer of trustedIssuers)
    if (!/^https?:/.test(issuer) || !URL.canParse(issuer))
      read.addIssue('TRUSTED_PUBLISHING_ISSUERS', `has ${JSON.stringify(issuer)}, which is not a URL`);
  return { allowLoopback, proxyUrl: read.url('OUTBOUND_PROXY_URL', ['http:']), trustedIssuers };
}
