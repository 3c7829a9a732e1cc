import { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import type { Static } from 'typebox';
import { readAudit, type AuditFilter } from '../../shared/db/access/audit-log.ts';
import type { AuditEntryModel } from '../../shared/db/access/models.ts';
import type { Authority } from '../../shared/db/access/authority.ts';
import type { ApiContext } from '../context.ts';
import { answerOf, present, SENT } from '../http/answer.ts';
import { sendStream } from '../http/answer/send-stream.ts';
import { auditEntry } from './audit-entry.ts';

type Entry = Static<typeof auditEntry>;

/** How a range of the audit log is written as a stream. */
export interface AuditForm {
  readonly mediaType: string;
  readonly head: string;
  line(entry: Entry): string;
}

const COLUMNS = Object.keys(auditEntry.properties) as (keyof Entry)[];

/** The forms of a whole range, by media type. */
const AUDIT_FORMS: readonly AuditForm[] = [
  { mediaType: 'application/x-ndjson', head: '', line: (entry) => `${JSON.stringify(entry)}\n` },
  {
    mediaType: 'text/csv',
    head: csvRecord(COLUMNS),
    line: (entry) => csvRecord(COLUMNS.map((name) => csvText(entry[name]))),
  },
];

/** The form that `Accept` selects; null: JSON, in pages. */
export function auditFormOf(request: Request): AuditForm | null {
  const accepted = request.accepts(['application/json', ...AUDIT_FORMS.map(({ mediaType }) => mediaType)]);
  return AUDIT_FORMS.find(({ mediaType }) => mediaType === accepted) ?? null;
}

interface AuditCall {
  readonly api: ApiContext;
  readonly request: Request;
  readonly response: Response;
  readonly caller: { readonly organization: { readonly id: string }; readonly authority: Authority };
}

/** Streams all entries of the filter. It takes a slot of the organization's exports. */
export async function sendAudit(
  { api, request, response, caller }: AuditCall,
  form: AuditForm,
  filter: AuditFilter,
): Promise<typeof SENT> {
  response.setHeader('Content-Type', `${form.mediaType}; charset=utf-8`);
  if (request.method === 'HEAD') {
    response.end();
    return SENT;
  }
  const freeSlot = api.moduleFiles.exportSlots.takeNow(caller.organization.id);
  try {
    const texts = Readable.from(textsOf(readAudit(api.database, filter), form), { highWaterMark: 1 });
    await sendStream({ api, response, authority: caller.authority }, texts);
    return SENT;
  } finally {
    freeSlot();
  }
}

async function* textsOf(batches: AsyncIterable<readonly AuditEntryModel[]>, form: AuditForm) {
  if (form.head !== '') yield form.head;
  for await (const rows of batches)
    yield rows.map((row) => form.line(present(auditEntry, entryAnswer(row)))).join('');
}

/** The entry of a row. */
export function entryAnswer(row: AuditEntryModel) {
  return answerOf(row, { at: row.createdAt });
}

/** A record as in RFC 4180. */
function csvRecord(fields: readonly string[]): string {
  const quoted = fields.map((each) => (/[",\r\n]/.test(each) ? `"${each.replaceAll('"', '""')}"` : each));
  return `${quoted.join()}\r\n`;
}

/** A spreadsheet would run a text that starts like a formula: an apostrophe makes it text. */
function csvText(value: Entry[keyof Entry]): string {
  const text = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
}
