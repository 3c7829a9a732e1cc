/** The settings are wrong; `faults` has one line for each. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The settings are wrong:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

interface Range {
  readonly min?: number;
  readonly max?: number;
}

/** Reads settings by name and gathers every fault, so that all are told at once. An empty value counts as unset. */
export class SettingsReader {
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #faults: string[] = [];

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.#environment = environment;
  }

  fault(name: string, what: string): void {
    this.#faults.push(`${name} ${what}`);
  }

  throwFaults(): void {
    if (this.#faults.length > 0) throw new SettingsError(this.#faults);
  }

  optional(name: string): string | null {
    const value = this.#environment[name]?.trim();
    return value === undefined || value === '' ? null : value;
  }

  text(name: string, standard: string): string {
    return this.optional(name) ?? standard;
  }

  required(name: string, because: string): string {
    const value = this.optional(name);
    if (value === null) this.fault(name, `must be set: ${because}`);
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
    this.fault(name, `must be a whole number from ${min} to ${max}, not ${JSON.stringify(value)}`);
    return standard;
  }

  flag(name: string, standard: boolean): boolean {
    const value = this.optional(name)?.toLowerCase();
    if (value === undefined) return standard;
    if (['1', 'true', 'yes'].includes(value)) return true;
    if (['0', 'false', 'no'].includes(value)) return false;
    this.fault(name, `must be 1 or 0, not ${JSON.stringify(value)}`);
    return standard;
  }

  oneOf<T extends string>(name: string, choices: readonly T[], standard: T): T {
    const value = this.optional(name);
    if (value === null) return standard;
    const choice = choices.find((each) => each === value);
    if (choice === undefined) this.fault(name, `must be one of ${choices.join(', ')}`);
    return choice ?? standard;
  }

  choices<T extends string>(name: string, choices: readonly T[]): readonly T[] {
    return this.list(name).flatMap((value) => {
      const choice = choices.find((each) => each === value);
      if (choice === undefined)
        this.fault(name, `has ${JSON.stringify(value)}, which is none of ${choices.join(', ')}`);
      return choice ?? [];
    });
  }

  /** A URL of one of the protocols. Its text is not repeated in a fault: it may hold a password. */
  url(name: string, protocols: readonly string[]): string | null {
    const value = this.optional(name);
    if (value === null) return null;
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value;
    this.fault(name, `must be a URL that begins with ${protocols.map((each) => `${each}//`).join(' or ')}`);
    return null;
  }
}
