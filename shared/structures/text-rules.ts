import { LRUCache } from 'lru-cache';
import { isCountryCode } from '../package/text/country-codes.ts';
import { isCalendarDay } from '../package/schema/schema-parts.ts';

/** Whether the text is an officially assigned ISO 3166-1 alpha-2 code in upper case. */
export function isCountry(text: string): boolean {
  return /^[A-Z]{2}$/.test(text) && isCountryCode(text);
}

// Intl makes an object of many kilobytes; a body may name a zone a hundred thousand times.
const zones = new LRUCache<string, boolean>({ max: 1_000, memoMethod: isIntlTimeZone });

/** Whether the text names a time zone of the IANA database. */
export function isTimeZone(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9/_+-]{1,63}$/.test(text) && zones.memo(text);
}

function isIntlTimeZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const DAY = /^[12]\d{3}-\d{2}-\d{2}$/;
const TIMESTAMP =
  /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Whether the text is a day as YYYY-MM-DD, or a timestamp of ISO 8601 with its offset. */
export function isPlantingTime(text: string): boolean {
  const day = TIMESTAMP.exec(text)?.[1] ?? text;
  if (!DAY.test(day) || !isCalendarDay(day)) return false;
  // What is answered in UTC can be sent again.
  return DAY.test(plantingTimeText(text).slice(0, day.length));
}

/** A date-time as answers write it: ISO 8601 in UTC with the offset +00:00. */
export function dateTimeText(date: Date): string {
  return date.toISOString().replace('Z', '+00:00');
}

/** A day as it is, a timestamp as answers write it. */
export function plantingTimeText(text: string): string {
  return DAY.test(text) ? text : dateTimeText(new Date(text));
}
