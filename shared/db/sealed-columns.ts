/*
 * The owners of sealed bytes. Whoever changes the database cannot give a variable the value of another module's. The
 * fingerprint is the hash of the values too, so that whoever had it could test guesses.
 */

/** The owner of a module's environment variables: one list in JSON, because a descriptor may have many thousands. */
export const environmentOf = (moduleId: string) => `environment of module ${moduleId}`;
/** The owner of a module's fingerprint. */
export const fingerprintOf = (moduleId: string) => `fingerprint of module ${moduleId}`;
/** The owner of a webhook's `SigningKeys`, and of its `PreviousKeys`, in JSON. */
export const signingKeysOf = (webhookId: string) => `keys of webhook ${webhookId}`;

/** The owner of the private key of web push. */
export const pushKeyOf = (id: string) => `push key ${id}`;

/** A column of sealed bytes. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
}

/** A column whose values can be sealed anew: their owner follows from an ID. */
export interface ResealableColumn extends SealedColumn {
  readonly id: string;
  readonly ownerOf: (id: string) => string;
}

const REVISION = { table: 'module_revisions', id: 'module_id' };
const WEBHOOK = { table: 'webhooks', id: 'id', ownerOf: signingKeysOf };

/** The columns that `npm run reencrypt` seals anew. */
export const RESEALABLE_COLUMNS = {
  fingerprint: { ...REVISION, column: 'fingerprint', ownerOf: fingerprintOf },
  environment: { ...REVISION, column: 'environment', ownerOf: environmentOf },
  signingKeys: { ...WEBHOOK, column: 'sealed_keys' },
  previousSigningKeys: { ...WEBHOOK, column: 'previous_sealed_keys' },
  pushKey: { table: 'push_key', id: 'id', column: 'sealed_private_key', ownerOf: pushKeyOf },
} as const satisfies Readonly<Record<string, ResealableColumn>>;

/** All columns that a key of the settings seals. A refresh token's owner is the cookie's secret, which is not stored. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  ...Object.values(RESEALABLE_COLUMNS),
  { table: 'sessions', column: 'sealed_refresh_token' },
];
