/** The preferences of a `Prefer` header (RFC 7240) by their names, in lower case, without their parameters. */
export function preferencesOf(header: string): readonly string[] {
  return header.split(',').map((each) => (each.split(';', 1)[0] ?? '').trim().toLowerCase());
}

/** The seconds of `wait=N` in a `Prefer` header; null where it has none. */
export function preferredWait(header: string): number | null {
  const seconds = preferencesOf(header)
    .map((each) => /^wait\s*=\s*"?(\d{1,6})"?$/.exec(each)?.[1])
    .find((each) => each !== undefined);
  return seconds === undefined ? null : Number(seconds);
}
