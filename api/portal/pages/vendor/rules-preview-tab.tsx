import { useState } from 'preact/hooks';
import { useLocalText } from '../parts/localized.tsx';
import { RuleFields } from '../parts/rule-fields.tsx';
import type { FieldValues } from '../parts/rule-fields.tsx';
import type { AlertCriterion, Schemas } from '../server/api-types.ts';
import { useTexts } from '../texts/language.ts';

/** The alert rule definition as the form that a farmer fills in. */
export function RulesPreviewTab({ rules }: { readonly rules: Schemas['Module']['alertRules'] }) {
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
