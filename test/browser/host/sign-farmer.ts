import { exportJWK, generateKeyPair, SignJWT } from 'jose';

// Load the key from where you keep secrets: all your servers need the same one.
const { privateKey, publicKey } = await generateKeyPair('ES256');

/** The answer of your server at `/jwks.json`. */
export const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: '1', alg: 'ES256' }] };

/** A token with which the application of a module proves to its own back end who is signed in. */
export function signFarmer(host: string, subject: string, organizationId: string, moduleId: string) {
  return new SignJWT({ organizationId })
    .setProtectedHeader({ alg: 'ES256', kid: '1' })
    .setIssuer(host)
    .setSubject(subject)
    .setAudience(moduleId)
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(privateKey);
}
