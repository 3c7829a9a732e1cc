import { useState } from 'preact/hooks';
import type { AlertCriterion, AlertRules } from '../../../../shared/package/alert-rules/alert-rules.ts';
import { useLocalText } from '../parts/local-text.ts';
import { RuleFields } from '../parts/rule-fields.tsx';
import type { FieldValues } from '../parts/rule-fields.tsx';
import { useTexts } from '../texts/language.ts';

/** The alert rule definition as the form that a farmer fills. */
export function RulesPreviewTab({ rules }: { readonly rules: AlertRules | null }) {
  const { vendor } = useTexts();
  const criterias = Object.entries(rules?.criterias ?? {});
  if (criterias.length === 0) return <p class="empty">{vendor.noRules}</p>;
  return (
    <>
      <p class="lead">{vendor.rulesLead}</p>
      <div class="grid-cards">
        {criterias.map(([identifier, criterion]) => (
          <CriterionPreview key={identifier} identifier={identifier} criterion={criterion} />
        ))}
      </div>
    </>
  );
}

interface CriterionPreviewProps {
  readonly identifier: string;
  readonly criterion: AlertCriterion;
}

function CriterionPreview({ identifier, criterion }: CriterionPreviewProps) {
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
    </article>
  );
}
