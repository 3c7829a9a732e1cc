import { Facts } from '../parts/facts.tsx';
import { Time } from '../parts/localized.tsx';
import type { OperatorImport } from '../server/api-types.ts';
import { useFormats } from '../texts/formats.ts';
import { useTexts } from '../texts/language.ts';

interface ImportFactsProps {
  readonly item: OperatorImport;
  readonly organization: string;
}

/** What operators see of an import: its IDs and, where attempts failed, at which step, why and when. */
export function ImportFacts({ item, organization }: ImportFactsProps) {
  const { operator, vendor } = useTexts();
  const format = useFormats();
  const { importId, moduleId, failure, dismissedAt } = item;
  const { facts } = operator;
  return (
    <Facts
      of={[
        [facts.importId, <code key="import">{importId}</code>],
        [facts.organization, organization],
        [facts.moduleId, moduleId && <code key="module">{moduleId}</code>],
        [facts.step, failure && vendor.import.steps[failure.step]],
        [facts.cause, failure && <span key="cause">{failure.cause}</span>],
        [facts.attempts, failure && format.number(failure.attempts)],
        [facts.firstAt, failure && <Time value={failure.firstAt} />],
        [facts.lastAt, failure && <Time value={failure.lastAt} />],
        [facts.dismissedAt, dismissedAt && <Time value={dismissedAt} />],
      ]}
    />
  );
}
