import { S3_KEYS } from './part-servers.ts';

/** What no line of a log may hold, by its form. */
const SECRET_FORMS: readonly RegExp[] = [
  // A token, and a header that brings one.
  /\beyJ[\w-]{8,}\.[\w-]{8,}/,
  /\bBearer\s+[^\s"\\]/i,
  /\bmmk_[0-9A-Za-z]{49}\b/,
  // Cookies of those who have signed in, and what a sign-in hands over in addresses.
  /\b(?:__Host-|__Secure-)?(?:module_session|module_sign_in)\W{1,5}[\w.-]{16,}/,
  /[?&](?:code|state|code_verifier|token|access_token)=/,
  // An address with a password.
  /:\/\/[^\s/:@"]*:[^\s/@"]+@/,
  new RegExp(S3_KEYS.secretAccessKey),
];

/** The first thing in a text that no log may hold. */
export function secretIn(text: string): string | null {
  for (const form of SECRET_FORMS) {
    const found = form.exec(text);
    if (found !== null) return found[0];
  }
  return null;
}

/** Takes the lines of a log, as a stream does, and keeps those that hold a secret. */
export class LogWatch {
  readonly #leaks: string[] = [];

  write(line: string): void {
    if (secretIn(line) !== null) this.#leaks.push(line);
  }

  /** @throws Error with the first line that holds a secret */
  check(): void {
    const [first] = this.#leaks;
    if (first !== undefined)
      throw new Error(`${this.#leaks.length} log lines hold a secret; the first: ${first}`);
  }
}
