import { createRemoteJWKSet, jwtVerify } from 'jose';

const { HOST = '', MODULE_ID = '' } = process.env; // the origin of the farm platform, and your module
const keys = createRemoteJWKSet(new URL('/jwks.json', HOST));

/** The organization of the farmer who uses the application. @throws Error where the token is not for this module */
export async function verifyFarmer(token: string): Promise<string> {
  const requiredClaims = ['exp', 'organizationId'];
  const expected = { issuer: HOST, audience: MODULE_ID, algorithms: ['ES256'], requiredClaims };
  const { payload } = await jwtVerify(token, keys, expected);
  return String(payload['organizationId']);
}
