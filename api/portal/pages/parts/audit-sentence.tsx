import type { ComponentChildren } from 'preact';
import type { Schemas } from '../server/call-api.ts';
import { type Texts, useTexts } from '../texts/language.ts';

export type AuditEntry = Schemas['AuditEntry'];

/** An entry of the audit log as a sentence. */
export function AuditSentence({ entry }: { readonly entry: AuditEntry }) {
  const { audit } = useTexts();
  const names = namesIn(entry, audit);
  return <>{filled(audit.sentences[entry.action], entry, names)}</>;
}

/** The name of an entry's actor, for people. */
export function actorName({ actor, actorName: name }: AuditEntry, audit: Texts['audit']): string {
  if (name !== null) return name;
  if (actor === 'service') return audit.service;
  const source = /^trusted-publisher (?:[^/]+\/)?(.+)$/.exec(actor)?.[1];
  return source === undefined ? shortId(actor) : audit.ciRun(source);
}

interface Name {
  readonly known: string | null;
  readonly id: string | null;
}

/** What a sentence names, each with its name and the ID that stands in for it. */
function namesIn(entry: AuditEntry, audit: Texts['audit']): Readonly<Record<string, Name>> {
  const { actor, moduleName, moduleId, targetName, targetId, clientId, organizationName } = entry;
  return {
    actor: { known: actorName(entry, audit), id: actor },
    module: { known: moduleName, id: moduleId },
    target: { known: targetName, id: targetId ?? clientId },
    organization: { known: organizationName, id: entry.organizationId },
  };
}

/** Splits a sentence into its optional parts and the rest. */
const OPTIONAL = /\[([^[\]]*)\]/;
const VALUE = /\{(\w+)\}/;

function filled(
  sentence: string,
  entry: AuditEntry,
  names: Readonly<Record<string, Name>>,
): readonly ComponentChildren[] {
  return sentence.split(OPTIONAL).flatMap((part, index) => {
    const isOptional = index % 2 === 1;
    const pieces = part.split(VALUE);
    // A count of 0 says nothing.
    const isKnown = (name: string) => Boolean(names[name]?.known ?? entry.details?.[name]);
    if (isOptional && !pieces.every((piece, at) => at % 2 === 0 || isKnown(piece))) return [];
    return pieces.map((piece, at) => (at % 2 === 0 ? piece : valueOf(piece, entry, names)));
  });
}

function valueOf(
  name: string,
  { details }: AuditEntry,
  names: Readonly<Record<string, Name>>,
): ComponentChildren {
  const named = names[name];
  if (named === undefined) return detailText(details?.[name] ?? '–');
  return <b>{named.known ?? (named.id === null ? '–' : shortId(named.id))}</b>;
}

/** A detail of an entry as a text. */
export function detailText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(detailText).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The beginning of a GUID; another ID as it is. */
function shortId(id: string): string {
  return id.replace(/\b([\da-f]{8})-[\da-f]{4}-[\da-f-]{17,}$/i, '$1');
}
