declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  interface Parameters {
    readonly version: 'aes128gcm';
    readonly salt?: Buffer;
    /** The own pair; the sender's is made for one message. */
    readonly privateKey: ECDH;
    /** The public key of the receiver, in base64url. */
    readonly dh?: string;
    readonly authSecret: string;
  }

  /** Encrypts with RFC 8188, and with a key as RFC 8291 derives it. */
  export function encrypt(text: Buffer, parameters: Parameters): Buffer;
  export function decrypt(body: Buffer, parameters: Parameters): Buffer;
}
