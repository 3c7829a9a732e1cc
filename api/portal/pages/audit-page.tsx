import { useOrganization } from './organization.ts';
import { Time } from './parts/facts.tsx';
import { ListTable } from './parts/lists.tsx';
import { PageHead } from './parts/page.tsx';
import type { Schemas } from './server/call-api.ts';
import { useList } from './server/use-resource.ts';
import { useTexts } from './texts/language.ts';

type AuditEntry = Schemas['AuditEntry'];

/** The audit log of an organization. */
export function AuditPage() {
  const { id } = useOrganization();
  return <AuditLog address={`/${id}/auditLog`} lead={useTexts().audit.lead} isOfAll={false} />;
}

/** The audit log of all organizations; for operators. */
export function AllAuditPage() {
  return <AuditLog address="/operations/auditLog" lead={useTexts().audit.leadAll} isOfAll />;
}

interface AuditLogProps {
  readonly address: `/${string}/auditLog`;
  readonly lead: string;
  readonly isOfAll: boolean;
}

function AuditLog({ address, lead, isOfAll }: AuditLogProps) {
  const { common, audit } = useTexts();
  return (
    <>
      <PageHead title={common.pages.auditLog} lead={lead} />
      <ListTable
        label={common.pages.auditLog}
        of={useList(address)}
        empty={audit.none}
        columns={[
          [common.time, ({ at }) => <Time value={at} />],
          [audit.actor, ({ actor }) => actor, 'path'],
          [audit.action, ({ action }) => <code>{action}</code>],
          [audit.about, (entry) => <About entry={entry} isOfAll={isOfAll} />, 'path'],
        ]}
      />
    </>
  );
}

interface AboutProps {
  readonly entry: AuditEntry;
  /** Whether it is one of any organization. */
  readonly isOfAll: boolean;
}

/** What an entry is about: its IDs, what else was recorded, and how to find its request in the logs. */
function About({ entry, isOfAll }: AboutProps) {
  const { audit } = useTexts();
  const { organizationId, moduleId, clientId, targetId, details, traceId } = entry;
  const ids = [
    [audit.organization, isOfAll ? organizationId : null],
    [audit.module, moduleId],
    [audit.client, clientId],
    [audit.target, targetId],
  ] as const;
  const others = Object.entries(details ?? {}).map(([name, value]) => [name, textOf(value)] as const);
  return (
    <>
      {[...ids, ...others, [audit.trace, traceId] as const].map(
        ([name, value]) =>
          value !== null && (
            <div key={name}>
              <span class="quiet">{name}</span> {value}
            </div>
          ),
      )}
    </>
  );
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(textOf).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
