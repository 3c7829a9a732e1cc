import { useContext } from 'preact/hooks';
import { Time } from './parts/facts.tsx';
import { ListTable } from './parts/lists.tsx';
import { OrganizationContext, PageHead } from './parts/page.tsx';
import type { Schemas } from './server/call-api.ts';
import { useList } from './server/use-resource.ts';
import { useTexts } from './texts/language.ts';

/** The audit log of an organization, or of all where the page is none's; for operators. */
export function AuditPage() {
  const { common, audit } = useTexts();
  const organization = useContext(OrganizationContext);
  const list = useList(organization === null ? '/operations/auditLog' : `/${organization.id}/auditLog`);
  return (
    <>
      <PageHead title={common.pages.auditLog} lead={organization === null ? audit.leadAll : audit.lead} />
      <ListTable
        label={common.pages.auditLog}
        of={list}
        empty={audit.none}
        columns={[
          [common.time, ({ at }) => <Time value={at} />],
          [audit.actor, ({ actor }) => actor, 'path'],
          [audit.action, ({ action }) => <code>{action}</code>],
          [audit.about, (entry) => <About entry={entry} isOfAll={organization === null} />, 'path'],
        ]}
      />
    </>
  );
}

interface AboutProps {
  readonly entry: Schemas['AuditEntry'];
  /** Whether it is one of any organization. */
  readonly isOfAll: boolean;
}

/** The details of an entry: its IDs, further records, and the trace ID of its request. */
function About({ entry, isOfAll }: AboutProps) {
  const { common, audit } = useTexts();
  const { organizationId, moduleId, clientId, targetId, details, traceId } = entry;
  const ids = [
    [common.organization, isOfAll ? organizationId : null],
    [common.module, moduleId],
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
