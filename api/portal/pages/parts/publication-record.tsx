import type { Schemas } from '../server/call-api.ts';
import { useResource } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { Facts, Time } from './facts.tsx';
import { Section } from './page.tsx';

interface PublicationRecordProps {
  readonly moduleId: string;
  readonly revision: number;
}

/** By whom a revision was imported, and which rules checked it; nothing while it has no public record. */
export function PublicationRecord({ moduleId, revision }: PublicationRecordProps) {
  const texts = useTexts().record;
  const { value } = useResource(`/publicationRecords/${moduleId}?revision=${revision}`);
  if (value === null) return null;
  return (
    <Section title={texts.title}>
      <p class="quiet">{texts.lead}</p>
      <Facts
        of={[
          [texts.imported, <Time key="time" value={value.importedAt} />],
          [texts.source, <Source key="source" record={value} />],
          ...(['workflow', 'run'] as const).flatMap((name) => {
            const named = value.importer[name];
            return named === null ? [] : [[texts[name], named] as const];
          }),
          [texts.checks, value.checks.map(({ name, version }) => texts.rule(name, version)).join(', ')],
          [texts.archive, <code key="archive">{value.archiveSha256}</code>],
        ]}
      />
    </Section>
  );
}

function Source({ record }: { readonly record: Schemas['PublicationRecord'] }) {
  const texts = useTexts().record;
  const { kind, repository, commit } = record.importer;
  if (kind === 'member') return texts.member(record.vendorName);
  if (repository === null) return texts.unnamed;
  return commit === null ? repository : texts.atCommit(repository, commit);
}
