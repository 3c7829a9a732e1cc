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
  /** Null: no dialog; without a rule: that of a new one. */
  const [edited, setEdited] = useState<{ readonly rule: Schemas['AlertRule'] | null } | null>(null);
  const [removed, setRemoved] = useState<Schemas['AlertRule'] | null>(null);
  const rules = useList(`/${id}/alertRules`);
  const close = () => {
    setEdited(null);
    setRemoved(null);
  };
  return (
    <>
      <PageHead title={common.pages.rules} lead={farmer.rules.lead}>
        {isAdmin && (
          <button type="button" onClick={() => setEdited({ rule: null })}>
            {farmer.rules.create}
          </button>
        )}
      </PageHead>
      <ItemList of={rules} empty={farmer.rules.none} class="cards">
        {(rule) => (
          <RuleCard
            key={rule.id}
            rule={rule}
            onChanged={rules.reload}
            onEdit={() => setEdited({ rule })}
            onRemove={setRemoved}
          />
        )}
      </ItemList>
      {edited !== null && <RuleDialog rule={edited.rule} onSaved={rules.reload} onClose={close} />}
      {removed !== null && <RemoveDialog rule={removed} onRemoved={rules.reload} onClose={close} />}
    </>
  );
}

interface RemoveDialogProps {
  readonly rule: Schemas['AlertRule'];
  readonly onRemoved: () => Promise<void>;
  readonly onClose: () => void;
}

function RemoveDialog({ rule, onRemoved, onClose }: RemoveDialogProps) {
  const texts = useTexts().farmer.rules;
  const { id } = useOrganization();
  const remove = async () => {
    await callApi('DELETE', `/${id}/alertRules/${rule.id}`);
    await onRemoved();
    onClose();
  };
  return (
    <FormDialog
      title={texts.removeTitle}
      action={texts.remove}
      isDangerous
      onSubmit={remove}
      onClose={onClose}
    >
      <p>{texts.removeText}</p>
    </FormDialog>
  );
}
