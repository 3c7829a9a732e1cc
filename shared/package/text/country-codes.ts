import registered from './registered-codes.json' with { type: 'json' };

/** ISO 3166-1: alpha-2, alpha-3 and numeric code of each country, as officially assigned, three after three. */
const CODES: readonly string[] = registered.countries.split(' ');
const CODES_PER_COUNTRY = 3;

const ALPHA_2: ReadonlyMap<string, string> = new Map(
  CODES.map((code, index) => [code, CODES[index - (index % CODES_PER_COUNTRY)] ?? code]),
);

/** Whether the text is a code of ISO 3166-1: alpha-2 or alpha-3 in any letter case, or three digits. */
export function isCountryCode(text: string): boolean {
  return countryOf(text) !== null;
}

/** The alpha-2 code of the country that a code of ISO 3166-1 means; null if it means none. */
export function countryOf(code: string): string | null {
  return /^[A-Za-z]{2,3}$|^\d{3}$/.test(code) ? (ALPHA_2.get(code.toUpperCase()) ?? null) : null;
}

/** The code of ISO 3166-1 for a code that is in use beside it, such as GB for UK; null if there is none. */
export function meantCountry(text: string): string | null {
  if (!/^[A-Za-z]{2}$/.test(text)) return null;
  const region = new Intl.Locale(`und-${text}`).region ?? text;
  return isCountryCode(region) ? region : null;
}
