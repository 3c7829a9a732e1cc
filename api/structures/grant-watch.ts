/** The organizations that may still be read; null: no more of the answer may be sent. */
export type FindStillGranted = (organizationIds: readonly string[]) => Promise<ReadonlySet<string> | null>;

/** Half the second within which a withdrawal must end what runs. */
const CHECK_MS = 500;
/** An answer may have thousands of organizations: the next ones are checked with the current one. */
const CHECKED_AT_ONCE = 500;

/** The key, the module or the consent under which an answer is sent was withdrawn, or could not be checked. */
export class GrantWithdrawnError extends Error {
  override readonly name = 'GrantWithdrawnError';
}

/**
 * Checks while a long answer is sent whether its organizations may still be read: an organization whose consent was
 * withdrawn before its turn is left out, and `onWithdrawn` is called if what is being sent may not be sent any more.
 */
export class GrantWatch {
  readonly #organizationIds: readonly string[];
  readonly #find: FindStillGranted;
  readonly #onWithdrawn: (cause: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #granted: ReadonlySet<string>;
  #checkedMs: number;
  /** The index after the last organization that was checked. */
  #checkedEnd: number;
  /** The one that is sent; null before the first. */
  #current: number | null = null;

  /** The organizations were found at `foundMs`, and are all granted then. */
  constructor(
    organizationIds: readonly string[],
    foundMs: number,
    find: FindStillGranted,
    onWithdrawn: (cause: unknown) => void,
  ) {
    this.#organizationIds = organizationIds;
    this.#find = find;
    this.#onWithdrawn = onWithdrawn;
    this.#granted = new Set(organizationIds);
    this.#checkedMs = foundMs;
    this.#checkedEnd = organizationIds.length;
    this.#timer = setInterval(() => void this.#checkCurrent(), CHECK_MS);
  }

  /** Whether the organization may be read; it is the current one then. @throws GrantWithdrawnError if the whole answer may not. */
  async mayRead(index: number): Promise<boolean> {
    const isChecked = index < this.#checkedEnd && performance.now() - this.#checkedMs < CHECK_MS;
    const granted = isChecked ? this.#granted : await this.#check(index);
    const isGranted = granted.has(this.#organizationIds[index] ?? '');
    if (isGranted) this.#current = index;
    return isGranted;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #checkCurrent(): Promise<void> {
    const current = this.#current;
    try {
      const granted = await this.#check(current ?? 0);
      if (current !== null && !granted.has(this.#organizationIds[current] ?? ''))
        throw new GrantWithdrawnError();
    } catch (error) {
      this.stop();
      this.#onWithdrawn(error);
    }
  }

  async #check(index: number): Promise<ReadonlySet<string>> {
    const startMs = performance.now();
    const end = index + CHECKED_AT_ONCE;
    const granted = await this.#find(this.#organizationIds.slice(index, end));
    if (granted === null) throw new GrantWithdrawnError();
    this.#granted = granted;
    this.#checkedMs = startMs;
    this.#checkedEnd = end;
    return granted;
  }
}
