import type { Schemas } from '../server/call-api.ts';
import { useResource } from '../server/use-resource.ts';
import { useFormats, useTexts } from '../texts/language.ts';
import { type FactList, Facts, Time } from './facts.tsx';
import { Section } from './page.tsx';

interface RecordProps {
  readonly moduleId: string;
  readonly revision: number;
}

/** By whom a revision was imported, and which rules checked it; nothing while it has no public record. */
export function PublicationRecord({ moduleId, revision }: RecordProps) {
  const texts = useTexts().record;
  const facts = useRecordFacts();
  const { value } = useResource(`/publicationRecords/${moduleId}?revision=${revision}`);
  if (value === null) return null;
  const { commit } = value.importer;
  return (
    <Section title={texts.title}>
      <p class="quiet">{texts.lead}</p>
      <Facts
        of={[
          ...facts(value),
          [texts.commit, commit === null ? null : <code key="commit">{commit}</code>],
          [texts.archive, <code key="archive">{value.archiveSha256}</code>],
        ]}
      />
    </Section>
  );
}

/** The same in one line, which opens. Without hashes: they say nothing to a farmer. */
export function Provenance({ moduleId, revision }: RecordProps) {
  const texts = useTexts().record;
  const { day } = useFormats();
  const facts = useRecordFacts();
  const { value } = useResource(`/publicationRecords/${moduleId}?revision=${revision}`);
  if (value === null) return null;
  return (
    <details>
      <summary>{texts.verified(day(value.importedAt))}</summary>
      <p class="quiet">{texts.lead}</p>
      <Facts of={facts(value)} />
    </details>
  );
}

/** Returns what a record says in words. */
function useRecordFacts(): (record: Schemas['PublicationRecord']) => FactList {
  const texts = useTexts().record;
  return ({ importer, importedAt, vendorName, checks }) => [
    [texts.imported, <Time key="time" value={importedAt} />],
    [
      texts.source,
      importer.kind === 'member' ? texts.member(vendorName) : (importer.repository ?? texts.unnamed),
    ],
    [texts.workflow, importer.workflow],
    [texts.run, importer.run],
    [texts.checks, checks.map(({ name, version }) => texts.rule(name, version)).join(', ')],
  ];
}
