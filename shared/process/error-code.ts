/** The code of an error of Node or PostgreSQL, such as `EEXIST` or `23505`; null: it has none. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
