import { together, type SendTogether } from '../../shared/db/together.ts';
import type { RevisionWrite } from '../../shared/db/modules/write-revision.ts';
import { NewModules } from '../../shared/registration/new-modules.ts';

/** Writes new modules when this number of them has arrived, all in one statement. */
export class WritesAtOnce extends NewModules {
  readonly #size: number;
  readonly #send: SendTogether<RevisionWrite, boolean>;
  readonly #waiting: {
    readonly write: RevisionWrite;
    readonly resolve: (isWritten: Promise<boolean>) => void;
  }[] = [];

  constructor(size: number, send: SendTogether<RevisionWrite, boolean>) {
    super(send);
    this.#size = size;
    this.#send = send;
  }

  override async add(write: RevisionWrite): Promise<boolean> {
    const isWritten = new Promise<boolean>((resolve) => this.#waiting.push({ write, resolve }));
    if (this.#waiting.length === this.#size) {
      const waiting = this.#waiting.splice(0);
      const written = together(
        waiting.map((each) => each.write),
        this.#send,
      );
      for (const [index, { resolve }] of waiting.entries()) resolve(written[index] as Promise<boolean>);
    }
    return isWritten;
  }
}
