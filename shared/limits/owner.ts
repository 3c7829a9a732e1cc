import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<string>();

/** The owner of work that is done for no request: scheduled tasks, polls for many requests. */
const SERVICE = 'service';

/** Runs a function, and everything that it starts, for an owner: what is scarce is taken from the owner's part. */
export function forOwner<Result>(owner: string, act: () => Result): Result {
  return current.run(owner, act);
}

/** Runs a function for no request: what it starts serves many of them. */
export function forService<Result>(act: () => Result): Result {
  return current.run(SERVICE, act);
}

/** For whom the current work is done. */
export function currentOwner(): string {
  return current.getStore() ?? SERVICE;
}
