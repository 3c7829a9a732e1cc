/** The settings are not valid; `issues` has one line for each problem. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super(`The settings are wrong:\n${issues.map((issue) => `  ${issue}`).join('\n')}`);
    this.issues = issues;
  }
}

interface Range {
  readonly min?: number;
  readonly max?: number;
}

/** Reads settings by name and collects every issue, so that all are reported at once. An empty value counts as unset. */
export class SettingsReader {
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #issues: string[] = [];
  readonly #names = new Set<string>();

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.#environment = environment;
  }

  addIssue(name: string, what: string): void {
    this.#issues.push(`${name} ${what}`);
  }

  get issues(): readonly string[] {
    return this.#issues;
  }

  /** The settings that have been read, set or not. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  throwIssues(): void {
    if (this.#issues.length > 0) throw new SettingsError(this.#issues);
  }

  optional(name: string): string | null {
    this.#names.add(name);
    const value = this.#environment[name]?.trim();
    return value === undefined || value === '' ? null : value;
  }

  text(name: string, standard: string): string {
    return this.optional(name) ?? standard;
  }

  required(name: string, because: string): string {
    const value = this.optional(name);
    if (value === null) this.addIssue(name, `must be set: ${because}`);
    return value ?? '';
  }

  list(name: string): readonly string[] {
    const parts = this.text(name, '').split(',');
    return parts.map((part) => part.trim()).filter((part) => part !== '');
  }

  integer(name: string, standard: number, { min = 1, max = Number.MAX_SAFE_INTEGER }: Range = {}): number {
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

  oneOf<T extends string>(name: string, allowed: readonly T[], standard: T): T {
    const value = this.optional(name);
    if (value === null) return standard;
    const found = allowed.find((each) => each === value);
    if (found === undefined) this.addIssue(name, `must be one of ${allowed.join(', ')}`);
    return found ?? standard;
  }

  optionalOneOf<T extends string>(name: string, allowed: readonly T[]): T | null {
    const [first] = allowed;
    return this.optional(name) === null || first === undefined ? null : this.oneOf(name, allowed, first);
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
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value;
    this.addIssue(
      name,
      `must be a URL that starts with ${protocols.map((each) => `${each}//`).join(' or ')}`,
    );
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
