import { useState } from 'preact/hooks';
import { useLocalText } from '../parts/localized.tsx';
import { ReportInterval, RuleFields, type FieldValues } from '../parts/rule-fields.tsx';
import type { AlertCriterion, Schemas } from '../server/api-types.ts';
import { useTexts } from '../texts/language.ts';

/** The alert rule definition as the form that a farmer fills in. */
export function RulesPreviewTab({ rules }: { readonly rules: Schemas['Module']['alertRules'] }) {
  const { vendor } = useTexts();
  if (rules === null) return <p class="empty">{vendor.noRules}</p>;
  return (
    <>
      <p class="lead">{vendor.rulesLead}</p>
      <div class="grid-cards">
        {Object.entries(rules.criterias).map(([identifier, criterion]) => (
          <CriterionPreview key={identifier} identifier={identifier} rules={rules} criterion={criterion} />
        ))}
      </div>
    </>
  );
}

interface CriterionPreviewProps {
  readonly identifier: string;
  readonly rules: Schemas['AlertRuleDefinitions'];
  readonly criterion: AlertCriterion;
}

function CriterionPreview({ identifier, rules, criterion }: CriterionPreviewProps) {
  const localText = useLocalText();
  const [values, setValues] = useState<FieldValues>({});
  return (
    <article class="card">
      <h2>{localText(criterion.displayName)}</h2>
      <p class="quiet">
        <code>{identifier}</code>
      </p>
      {criterion.description !== null && <p>{localText(criterion.description)}</p>}
      <RuleFields criterion={criterion} values={values} onChange={setValues} />
      <ReportInterval rules={rules} criterion={criterion} />
    </article>
  );
}
