import { S3_KEYS } from './s3-stores.ts';

/** Secrets that no line of a log may contain, by their form. */
const SECRET_FORMS: readonly RegExp[] = [
  // A token, and a header that carries one.
  /\beyJ[\w-]{8,}\.[\w-]{8,}/,
  /\bBearer\s+[^\s"\\]/i,
  /\bmmk_[0-9A-Za-z]{49}\b/,
  /\bmm[pi]_[\w-]{43}/,
  // Session cookies, and parameters of a sign-in in addresses.
  /\b(?:__Host-|__Secure-)?(?:module_session|module_sign_in_[\w-]{43})\W{1,5}[\w.-]{16,}/,
  /[?&](?:code|state|code_verifier|token|access_token)=/,
  // An address with a password.
  /:\/\/[^\s/:@"]*:[^\s/@"]+@/,
  new RegExp(S3_KEYS.secretAccessKey),
];

/** The first secret in a text, which no log may contain. */
export function secretIn(text: string): string | null {
  for (const form of SECRET_FORMS) {
    const found = form.exec(text);
    if (found !== null) return found[0];
  }
  return null;
}

/** Reads the lines of a log, as a stream does, and keeps those that contain a secret. */
export class LogWatch {
  readonly #leaks: string[] = [];
  readonly #onLine: (line: string) => void;

  constructor(onLine: (line: string) => void = () => undefined) {
    this.#onLine = onLine;
  }

  write(line: string): void {
    this.#onLine(line);
    if (secretIn(line) !== null) this.#leaks.push(line);
  }

  /** @throws Error with the first line that contains a secret */
  check(): void {
    const [first] = this.#leaks;
    if (first !== undefined)
      throw new Error(`${this.#leaks.length} log lines contain a secret; the first: ${first}`);
  }
}
