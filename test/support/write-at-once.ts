import { sendWaiting, waitWith, type SendTogether, type Waiting } from '../../shared/db/together.ts';
import type { RevisionWrite } from '../../shared/db/modules/write-revision.ts';
import { NewModules } from '../../shared/registration/new-modules.ts';

/** Writes new modules when this number of them has arrived, all in one statement. */
export class WritesAtOnce extends NewModules {
  readonly #size: number;
  readonly #send: SendTogether<RevisionWrite, boolean>;
  readonly #waiting: Waiting<RevisionWrite, boolean>[] = [];

  constructor(size: number, send: SendTogether<RevisionWrite, boolean>) {
    super(send);
    this.#size = size;
    this.#send = send;
  }

  override async add(write: RevisionWrite): Promise<boolean> {
    const isWritten = waitWith(this.#waiting, write);
    if (this.#waiting.length === this.#size) void sendWaiting(this.#waiting.splice(0), this.#send);
    return isWritten;
  }
}
