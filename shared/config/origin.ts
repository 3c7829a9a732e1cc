import type { SettingsReader } from './settings-reader.ts';

/** Reads the origin of a server of this service; null if it is not set. */
export function readOrigin(
  read: SettingsReader,
  name: string,
  example: string,
  because: string,
): string | null {
  const address = read.url(name, ['http:', 'https:']);
  if (address === null) return null;
  const { origin, href } = new URL(address);
  if (href !== `${origin}/`)
    read.addIssue(name, `must be an origin such as ${example}, without a path: ${because}`);
  return origin;
}

/** Whether a text is an origin as browsers send it. */
export function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;
}
