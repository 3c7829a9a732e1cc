/** How the command line ends. */
export const EXIT = {
  ok: 0,
  /** The package breaks a rule. */
  rejected: 1,
  /** Nothing was validated: wrong usage, a file that cannot be read, a server out of reach. */
  couldNotRun: 2,
} as const;

/** The package is rejected for what no problem code says, such as its size as a whole. The message is for people. */
export class RejectedError extends Error {
  override readonly name = 'RejectedError';
}

/** The command could not do its work. The message says why and what to do. */
export class CannotRunError extends Error {
  override readonly name = 'CannotRunError';
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EEXIST: 'it exists already',
  EISDIR: 'it is a directory',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a directory',
  EPERM: 'permission is denied',
  EROFS: 'the disk is read-only',
};

/** Why the system refused something, in a few words. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return REASONS[code] ?? error.message;
}
