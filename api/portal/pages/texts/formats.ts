import type { Language } from './language.ts';

/** A time for people, in their zone; the dash stands for none. */
export function formatTime(language: Language, value: string | null): string {
  if (value === null) return '–';
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(value),
  );
}

/** A day for people. */
export function formatDay(language: Language, value: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(new Date(value));
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** A size in the unit that fits, in steps of 1000. */
export function formatBytes(language: Language, bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: UNITS[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: bytes / 1000 ** step < 10 ? 1 : 0,
  }).format(bytes / 1000 ** step);
}

/** A number for people. */
export function formatNumber(language: Language, value: number, digits = 2): string {
  return new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value);
}
