/** The top of the repository. */
export const root: string;

/** Writes to standard error. */
export function say(text: string): void;

/** The advice to a user of this version of Node; null where it is supported. */
export function nodeAdvice(version: string): string | null;

/** Installs and builds what is missing or outdated; exits the process if that fails. */
export function prepare(wanted: {
  readonly compiled?: boolean;
  readonly cli?: boolean;
  readonly failureCode?: number;
}): void;
