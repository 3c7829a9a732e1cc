import { together, type SendTogether } from '../db/together.ts';
import {
  FILES_PER_STATEMENT,
  REVISIONS_PER_STATEMENT,
  type RevisionWrite,
} from '../db/modules/write-revision.ts';

/** The most characters of the rows of one statement: a large one would delay its neighbors. */
const MOST_CHARACTERS = 1024 * 1024;
/** The longest time for which new modules of an organization wait for the statement before them, which may meet a lock. */
const MAX_WAIT_MS = 15;

interface Waiting {
  readonly write: RevisionWrite;
  readonly resolve: (isWritten: Promise<boolean>) => void;
}

/**
 * Writes new modules with the ends of their imports: those of an organization that arrive while one statement runs are
 * written by the next one. Each is written or fails by itself, as `together` has it.
 */
export class NewModules {
  readonly #write: SendTogether<RevisionWrite, boolean>;
  /** By organization, while a statement of it runs. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(write: SendTogether<RevisionWrite, boolean>) {
    this.#write = write;
  }

  /** Whether it was written. @throws what the statement throws for this one alone */
  async add(write: RevisionWrite): Promise<boolean> {
    const { organizationId } = write.next;
    const waiting = this.#waiting.get(organizationId);
    const isWritten = new Promise<boolean>((resolve) => {
      const each = { write, resolve };
      if (waiting === undefined) void this.#writeAll(organizationId, [each]);
      else waiting.push(each);
    });
    return isWritten;
  }

  async #writeAll(organizationId: string, waiting: Waiting[]): Promise<void> {
    this.#waiting.set(organizationId, waiting);
    while (waiting.length > 0) {
      const next = takeNext(waiting);
      const written = together(
        next.map(({ write }) => write),
        this.#write,
      );
      for (const [index, { resolve }] of next.entries()) resolve(written[index] as Promise<boolean>);
      await Promise.race([
        Promise.allSettled(written),
        new Promise((resolve) => void setTimeout(resolve, MAX_WAIT_MS)),
      ]);
    }
    this.#waiting.delete(organizationId);
  }
}

/** Takes the first ones that one statement may write. */
function takeNext(waiting: Waiting[]): readonly Waiting[] {
  let [files, characters] = [0, 0];
  const end = waiting.findIndex(({ write }, index) => {
    files += write.files.length;
    characters += write.row.length;
    const isTooMuch = files > FILES_PER_STATEMENT || characters > MOST_CHARACTERS;
    return index > 0 && (index === REVISIONS_PER_STATEMENT || isTooMuch);
  });
  return waiting.splice(0, end === -1 ? waiting.length : end);
}
