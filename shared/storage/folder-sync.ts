import { open } from 'node:fs/promises';

/**
 * Syncs folders to disk. Calls for one folder that come while a sync of it runs share the next one:
 * a sync covers every file that was created before it started.
 */
export class FolderSync {
  readonly #running = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Promise<void>>();

  async sync(folder: string): Promise<void> {
    const running = this.#running.get(folder);
    if (running === undefined) return this.#start(folder);
    const next = this.#next.get(folder) ?? this.#after(running, folder);
    this.#next.set(folder, next);
    return next;
  }

  async #after(running: Promise<void>, folder: string): Promise<void> {
    await running.catch(() => undefined);
    this.#next.delete(folder);
    return this.#start(folder);
  }

  #start(folder: string): Promise<void> {
    const sync = syncFolder(folder).finally(() => {
      if (this.#running.get(folder) === sync) this.#running.delete(folder);
    });
    this.#running.set(folder, sync);
    return sync;
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder for syncing; its file systems journal the rename.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
