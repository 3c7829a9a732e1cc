import { sendWaiting, waitWith, type SendTogether, type Waiting } from '../db/together.ts';
import {
  FILES_PER_STATEMENT,
  REVISIONS_PER_STATEMENT,
  type RevisionWrite,
} from '../db/modules/write-revision.ts';

/** The most characters of the rows of one statement: a large one would delay its neighbors. */
const MOST_CHARACTERS = 1024 * 1024;
/** The longest time for which new modules of an organization wait for the statement before them, which may meet a lock. */
const MAX_WAIT_MS = 15;

/** New modules that wait; for each, whether it is written. */
type Queue = Waiting<RevisionWrite, boolean>[];

/**
 * Writes new modules with the ends of their imports: those of an organization that arrive while one statement runs are
 * written by the next one. Each is written or fails by itself, as `together` has it.
 */
export class NewModules {
  readonly #write: SendTogether<RevisionWrite, boolean>;
  /** By organization, while a statement of it runs. */
  readonly #queues = new Map<string, Queue>();

  constructor(write: SendTogether<RevisionWrite, boolean>) {
    this.#write = write;
  }

  /** Whether it was written. @throws what the statement throws for this one alone */
  async add(write: RevisionWrite): Promise<boolean> {
    const { organizationId } = write.next;
    const running = this.#queues.get(organizationId);
    const queue = running ?? [];
    const isWritten = waitWith(queue, write);
    if (running === undefined) void this.#writeAll(organizationId, queue);
    return isWritten;
  }

  async #writeAll(organizationId: string, queue: Queue): Promise<void> {
    this.#queues.set(organizationId, queue);
    while (queue.length > 0) {
      const written = sendWaiting(takeNext(queue), this.#write);
      await Promise.race([written, new Promise((resolve) => void setTimeout(resolve, MAX_WAIT_MS))]);
    }
    this.#queues.delete(organizationId);
  }
}

/** Takes the first ones that one statement may write. */
function takeNext(queue: Queue): Queue {
  let [files, characters] = [0, 0];
  const end = queue.findIndex(({ request }, index) => {
    files += request.files.length;
    characters += request.row.length;
    const isTooMuch = files > FILES_PER_STATEMENT || characters > MOST_CHARACTERS;
    return index > 0 && (index === REVISIONS_PER_STATEMENT || isTooMuch);
  });
  return queue.splice(0, end === -1 ? queue.length : end);
}
