import { crc32 } from 'node:zlib';

import type { PackageLimits } from '../limits.ts';
import { showableText } from '../text/showable-text.ts';

/** A name as text, or why it is none. */
type DecodedName =
  | { readonly text: string }
  | { readonly issue: string; readonly code: 'archive-entry-name-unsafe' | 'archive-entry-headers-disagree' };

/** General purpose flag 11: name and comment are UTF-8 (APPNOTE 4.4.4). */
export const UTF8_FLAG = 0x800;

const ASCII_ONLY = /^[\x00-\x7f]*$/;
const LONGEST_LABEL = 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether a name's bytes are ASCII, which is the same in every reading. */
export function isAsciiName(rawName: string): boolean {
  return ASCII_ONLY.test(rawName);
}

/**
 * Whether a header's name in an unknown code page of one byte per character can be this text: as
 * long, and the same wherever either is ASCII.
 */
function canBeCodePageOf(raw: Buffer, text: string): boolean {
  const characters = Array.from(text);
  if (characters.length !== raw.length) return false;
  return characters.every((character, index) => {
    const byte = raw[index] ?? 0;
    return byte > 0x7f ? !ASCII_ONLY.test(character) : character === String.fromCharCode(byte);
  });
}

/**
 * The Info-ZIP Unicode path field (APPNOTE 4.6.9). Readers that do not know it take the header's name,
 * so it may say what the header cannot, but never name another file.
 */
function decodeUnicodePath(raw: Buffer, isFlagged: boolean, field: Buffer): DecodedName {
  const code = 'archive-entry-headers-disagree';
  if (field.length < 5 || field[0] !== 1) return { code, issue: 'its Unicode path field is malformed' };
  if (field.readUInt32LE(1) !== crc32(raw)) {
    return { code, issue: 'its Unicode path field was made for another name' };
  }
  const path = field.subarray(5);
  const text = decodeUtf8(path);
  if (text === undefined)
    return { code: 'archive-entry-name-unsafe', issue: 'its Unicode path is not valid UTF-8' };
  const isSame =
    raw.equals(path) || (!isFlagged && !isAsciiName(raw.toString('latin1')) && canBeCodePageOf(raw, text));
  return isSame ? { text } : { code, issue: 'its Unicode path field names another file' };
}

/**
 * An entry's name. ASCII is the same in every reading. Without the UTF-8 flag the standard says code page 437 (APPNOTE
 * D.1), but writers on Unix set no flag and write UTF-8. Text in a code page is hardly ever valid UTF-8, so bytes that
 * are have that meaning; all others have none.
 */
function decodeName(raw: Buffer, flags: number, unicodePath: Buffer | undefined): DecodedName {
  if (unicodePath !== undefined) return decodeUnicodePath(raw, (flags & UTF8_FLAG) !== 0, unicodePath);
  const latin = raw.toString('latin1');
  if (isAsciiName(latin)) return { text: latin };
  const text = decodeUtf8(raw);
  if (text !== undefined) return { text };
  const issue = 'its name is not valid UTF-8, so readers decode it differently';
  return { code: 'archive-entry-name-unsafe', issue };
}

/** A name as paths of a package are: in Unicode NFC, without a leading `./`, which `bsdtar -cf x.zip .` writes. */
export function normalName(name: string): string {
  return name.normalize('NFC').replace(/^\.\//, '');
}

/** An entry's path from its name; empty for the entry `./`, which is the root itself. */
export function pathOf(
  raw: Buffer,
  flags: number,
  unicodePath: Buffer | undefined,
): { readonly path: string } | Exclude<DecodedName, { readonly text: string }> {
  const decoded = decodeName(raw, flags, unicodePath);
  return 'text' in decoded ? { path: normalName(decoded.text) } : decoded;
}

function cut(label: string): string {
  return label.length > LONGEST_LABEL ? `${label.slice(0, LONGEST_LABEL)}…` : label;
}

/** A name for reports: characters that cannot be shown, or change how the line reads, are escaped. */
export function labelOfText(text: string): string {
  return cut(showableText(text));
}

/** The same for a name that cannot be decoded: bytes that are not ASCII are escaped. */
export function labelOfBytes(raw: Buffer): string {
  const hex = (byte: string): string => byte.charCodeAt(0).toString(16).padStart(2, '0');
  return cut(raw.toString('latin1').replace(/[^\x20-\x7e]/g, (byte) => `\\x${hex(byte)}`));
}

/** Hangul fillers, the Khmer inherent vowels and the grapheme joiner show nothing, like the format characters. */
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0]/u;
const CONTROL = /\p{Cc}/u;
const DRIVE = /^[A-Za-z]:/;

/** Windows opens the device whatever the case and the extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/i;

function segmentIssue(segment: string): string | undefined {
  if (segment === '') return 'it has an empty segment';
  if (segment === '.' || segment === '..') return `it has the segment "${segment}"`;
  const last = segment.charCodeAt(segment.length - 1);
  if (last === 0x2e || last === 0x20) return 'a segment ends in a dot or a space, which Windows drops';
  if (DEVICE.test(segment)) return 'a segment is the name of a Windows device';
  return undefined;
}

function wholeNameIssue(path: string): string | undefined {
  if (path.startsWith('/')) return 'it is absolute';
  if (DRIVE.test(path)) return 'it starts with a drive letter';
  if (path.includes(':')) return 'it has a colon, which names a stream on Windows';
  if (CONTROL.test(path)) return 'it has a control character';
  if (INVISIBLE.test(path)) return 'it has an invisible or text-direction character';
  return undefined;
}

/** Two tests that nearly every real name passes: its characters, and how its segments start and end. */
const PLAIN = /^[\w./-]+$/;
const ODD_SEGMENT = /^\/|\/\/|\.(?:\/|$)|(?:^|\/)(?:con|prn|aux|nul|com\d|lpt\d)(?:[./]|$)/i;

/** Everything that is unsafe about a path, as texts that follow "Its name is rejected:". */
export function nameIssues(path: string, rawBytes: number, limits: PackageLimits): string[] {
  // The path of `./`, the root, is empty too.
  if (path === '') return rawBytes === 0 ? ['it is empty'] : [];
  const isShort = path.length <= limits.maxPathBytes && path.length < limits.maxPathDepth * 2;
  if (isShort && PLAIN.test(path) && !ODD_SEGMENT.test(path)) return [];
  const issues = new Set<string>();
  const whole = wholeNameIssue(path);
  if (whole !== undefined) issues.add(whole);
  const inner = path.replace(/^\//, '').replace(/\/$/, '');
  const segments = inner.split('/');
  for (const segment of segments) {
    const issue = segmentIssue(segment);
    if (issue !== undefined) issues.add(issue);
  }
  if (Math.max(rawBytes, Buffer.byteLength(path)) > limits.maxPathBytes) {
    issues.add(`it is longer than ${limits.maxPathBytes} bytes`);
  }
  if (segments.length > limits.maxPathDepth) issues.add(`it is deeper than ${limits.maxPathDepth} folders`);
  return [...issues];
}
