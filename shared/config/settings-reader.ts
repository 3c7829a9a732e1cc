import { readFileSync } from 'node:fs';

/** Settings that contain a secret. Each may be in a file, whose path is in `<NAME>_FILE`. */
export const SECRET_SETTINGS: readonly string[] = [
  'DATABASE_URL',
  'DATABASE_LISTEN_URL',
  'REDIS_URL',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'PORTAL_CLIENT_SECRET',
  'METRICS_TOKEN',
  'ENCRYPTION_KEYS',
  'PACKAGE_CHECK',
  'SMTP_URL',
];

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings are not valid; `issues` has one line for each problem. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super(`The settings are wrong:\n${issues.map((issue) => `  ${issue}`).join('\n')}`);
    this.issues = issues;
  }
}

/** A part of a URL as it is meant; null where a % in it encodes nothing. */
export function decodedPart(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** Reads settings by name and collects every issue, so that all are reported at once. An empty value counts as unset. */
export class SettingsReader {
  readonly #environment: Environment;
  readonly #issues: string[] = [];
  readonly #values = new Map<string, string | null>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  addIssue(name: string, what: string): void {
    this.#issues.push(`${name} ${what}`);
  }

  get issues(): readonly string[] {
    return this.#issues;
  }

  /** The settings that have been read; null: not set. */
  get values(): ReadonlyMap<string, string | null> {
    return this.#values;
  }

  throwIssues(): void {
    if (this.#issues.length > 0) throw new SettingsError(this.#issues);
  }

  optional(name: string): string | null {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const value = this.#environment[name]?.trim() || null;
    const file = SECRET_SETTINGS.includes(name) ? this.optional(`${name}_FILE`) : null;
    const found = file === null ? value : this.#readFile(name, file, value);
    this.#values.set(name, found);
    return found;
  }

  #readFile(name: string, file: string, value: string | null): string | null {
    if (value !== null) this.addIssue(name, `and ${name}_FILE are both set: keep one`);
    try {
      return readFileSync(file, 'utf8').trim() || null;
    } catch {
      this.addIssue(`${name}_FILE`, `names a file that cannot be read: ${file}`);
      return null;
    }
  }

  text(name: string, standard: string): string {
    return this.optional(name) ?? standard;
  }

  list(name: string): readonly string[] {
    const parts = this.text(name, '').split(',');
    return parts.map((part) => part.trim()).filter((part) => part !== '');
  }

  integer<Standard extends number | null>(
    name: string,
    standard: Standard,
    { min = 1, max = Number.MAX_SAFE_INTEGER }: { readonly min?: number; readonly max?: number } = {},
  ): number | Standard {
    const value = this.optional(name);
    if (value === null) return standard;
    const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    this.addIssue(name, `must be a whole number from ${min} to ${max}, not ${JSON.stringify(value)}`);
    return standard;
  }

  boolean(name: string, standard: boolean): boolean {
    const value = this.optional(name)?.toLowerCase();
    if (value === undefined) return standard;
    if (['1', 'true', 'yes'].includes(value)) return true;
    if (['0', 'false', 'no'].includes(value)) return false;
    this.addIssue(name, `must be 1 or 0, not ${JSON.stringify(value)}`);
    return standard;
  }

  oneOf<T extends string, Standard extends T | null>(
    name: string,
    allowed: readonly T[],
    standard: Standard,
  ): T | Standard {
    const value = this.optional(name);
    if (value === null) return standard;
    const found = allowed.find((each) => each === value);
    if (found === undefined) this.addIssue(name, `must be one of ${allowed.join(', ')}`);
    return found ?? standard;
  }

  someOf<T extends string>(name: string, allowed: readonly T[]): readonly T[] {
    return this.list(name).flatMap((value) => {
      const found = allowed.find((each) => each === value);
      if (found === undefined)
        this.addIssue(name, `has ${JSON.stringify(value)}, which is not one of ${allowed.join(', ')}`);
      return found ?? [];
    });
  }

  /** A URL of one of the protocols. The issue does not repeat its text, which may contain a password. */
  url(name: string, protocols: readonly string[]): string | null {
    const value = this.optional(name);
    if (value === null) return null;
    const starts = protocols.map((protocol) => `${protocol}//`);
    // Without the slashes a URL such as postgres:host/name is valid, and has no host.
    if (!URL.canParse(value) || !starts.some((start) => value.toLowerCase().startsWith(start))) {
      this.addIssue(name, `must be a URL that starts with ${starts.join(' or ')}`);
      return null;
    }
    const { username, password } = new URL(value);
    if (decodedPart(`${username}:${password}`) !== null) return value;
    this.addIssue(name, 'has a % in its user or password: write it as %25');
    return null;
  }

  /** The origin of a server of this service, whose address has no path. */
  origin(name: string, example: string, because: string): string | null {
    const address = this.url(name, ['http:', 'https:']);
    if (address === null) return null;
    const { origin, href } = new URL(address);
    if (href !== `${origin}/`)
      this.addIssue(name, `must be an origin such as ${example}, without a path: ${because}`);
    return origin;
  }
}
