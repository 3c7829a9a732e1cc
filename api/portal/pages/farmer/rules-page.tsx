import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { ItemList } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import type { Schemas } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { RuleCard } from './rule-card.tsx';
import { RuleDialog } from './rule-dialog.tsx';

/** A farmer's alert rules, and a form for another. */
export function RulesPage() {
  const { common, farmer } = useTexts();
  const { id, isAdmin } = useOrganization();
  const [isCreating, setCreating] = useState(false);
  const [removed, setRemoved] = useState<Schemas['AlertRule'] | null>(null);
  const rules = useList(`/${id}/alertRules`);
  const close = () => {
    setCreating(false);
    setRemoved(null);
  };
  const remove = async (ruleId: string) => {
    await callApi('DELETE', `/${id}/alertRules/${ruleId}`);
    await rules.reload();
    close();
  };
  return (
    <>
      <PageHead title={common.pages.rules} lead={farmer.rules.lead}>
        {isAdmin && (
          <button
            type="button"
            onClick={() => {
              setCreating(true);
            }}
          >
            {farmer.rules.create}
          </button>
        )}
      </PageHead>
      <ItemList of={rules} empty={farmer.rules.none} class="cards">
        {(rule) => <RuleCard key={rule.id} rule={rule} onChanged={rules.reload} onRemove={setRemoved} />}
      </ItemList>
      {isCreating && <RuleDialog onCreated={rules.reload} onClose={close} />}
      {removed !== null && (
        <FormDialog
          title={farmer.rules.removeTitle}
          action={farmer.rules.remove}
          isDangerous
          onSubmit={() => remove(removed.id)}
          onClose={close}
        >
          <p>{farmer.rules.removeText}</p>
        </FormDialog>
      )}
    </>
  );
}
