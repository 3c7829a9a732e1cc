import { useState } from 'preact/hooks';
import { FactCards, useLocalText, useYesOrNo } from '../parts/facts.tsx';
import { type FieldValues, ReportInterval, RuleFields } from '../parts/rule-fields.tsx';
import type { AlertCriterion, Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

/** The alert rule definition as the form that a farmer fills in. */
export function RulesPreviewTab({ rules }: { readonly rules: Schemas['Module']['alertRules'] }) {
  const { vendor } = useTexts();
  if (rules === null) return <p class="empty">{vendor.noRules}</p>;
  return (
    <>
      <p class="lead">{vendor.rulesLead}</p>
      <div class="cards">
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

/** The roles and entities that a module adds. */
export function RolesTab({ roles: definition }: Pick<Schemas['Module'], 'roles'>) {
  const texts = useTexts().vendor.roles;
  const yesOrNo = useYesOrNo();
  const { roles = [], data = [] } = definition ?? {};
  if (roles.length + data.length === 0) return <p class="empty">{texts.none}</p>;
  return (
    <>
      <p class="lead">{texts.lead}</p>
      <FactCards
        title={texts.roles}
        cards={roles.map(({ name, entityType, baseRoles, permissions }) => ({
          name,
          facts: [
            [texts.entityType, entityType],
            [texts.baseRoles, baseRoles.join(', ')],
            ...Object.entries(permissions).map(
              ([entity, permitted]) => [`${texts.permissions}: ${entity}`, permitted.join(', ')] as const,
            ),
          ],
        }))}
      />
      <FactCards
        title={texts.entities}
        cards={data.map(({ name, entityType, intention, internalOnly }) => ({
          name,
          facts: [
            [texts.entityType, entityType],
            [texts.intention, intention],
            [texts.internal, yesOrNo(internalOnly)],
          ],
        }))}
      />
    </>
  );
}
