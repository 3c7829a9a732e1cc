import registered from './registered-codes.json' with { type: 'json' };

/** ISO 3166-1: alpha-2, alpha-3 and numeric code of each country, as officially assigned. */
const CODES: ReadonlySet<string> = new Set(registered.countries.split(' '));

/** Whether the text is a code of ISO 3166-1: alpha-2 or alpha-3 in any letter case, or three digits. */
export function isCountryCode(text: string): boolean {
  return /^[A-Za-z]{2,3}$|^\d{3}$/.test(text) && CODES.has(text.toUpperCase());
}
