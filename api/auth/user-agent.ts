type Known = readonly (readonly [name: string, form: RegExp])[];

/** The first that matches: most browsers also name the ones that they are compatible with. */
const BROWSERS: Known = [
  ['Edge', /\bEdg(?:A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:HeadlessChrome|Chrome|CriOS)\//],
  ['Safari', /\bVersion\/[\d.]+ .*\bSafari\//],
];

const SYSTEMS: Known = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad|iPod)\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac(?:intosh| OS X)\b/],
  ['Linux', /\bLinux\b/],
];

function nameOf(known: Known, text: string): string | null {
  return known.find(([, form]) => form.test(text))?.[0] ?? null;
}

/** Browser and operating system of a `User-Agent`, by the names that people know; null for others. */
export function describeUserAgent(userAgent: string): {
  readonly browser: string | null;
  readonly operatingSystem: string | null;
} {
  const text = userAgent.slice(0, 1_000);
  return { browser: nameOf(BROWSERS, text), operatingSystem: nameOf(SYSTEMS, text) };
}
