/*
 * The owners of sealed bytes. Whoever changes the database cannot give a variable the value of another module's. The
 * fingerprint is the hash of the values too, so that whoever had it could test guesses.
 */

/** The owner of a module's environment variables: one list in JSON, because a descriptor may have many thousands. */
export const environmentOf = (moduleId: string) => `environment of module ${moduleId}`;
/** The owner of a module's fingerprint. */
export const fingerprintOf = (moduleId: string) => `fingerprint of module ${moduleId}`;
/** The owner of a webhook's `SigningKeys`, in JSON. */
export const signingKeysOf = (webhookId: string) => `keys of webhook ${webhookId}`;
