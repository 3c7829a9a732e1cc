import { useState } from 'preact/hooks';
import { Confirm } from '../parts/confirm.tsx';
import { ItemList } from '../parts/item-list.tsx';
import { PageHead } from '../parts/page-head.tsx';
import type { AlertRule, Organization } from '../server/answers.ts';
import { callApi } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { RuleCard } from './rule-card.tsx';
import { RuleDialog } from './rule-dialog.tsx';

/** A farmer's alert rules, and the building of another. */
export function RulesPage({ organization }: { readonly organization: Organization }) {
  const { common, farmer } = useTexts();
  const [open, setOpen] = useState<'build' | AlertRule | null>(null);
  const rules = useList<AlertRule>(`/${organization.id}/alertRules`);
  const { reload } = rules;
  const close = () => {
    setOpen(null);
  };
  const build = () => {
    setOpen('build');
  };
  const remove = async ({ id }: AlertRule) => {
    await callApi('DELETE', `/${organization.id}/alertRules/${id}`);
    await reload();
    close();
  };
  return (
    <>
      <PageHead title={common.pages.rules} lead={farmer.rules.lead}>
        {organization.isAdmin && (
          <button type="button" onClick={build}>
            {farmer.rules.build}
          </button>
        )}
      </PageHead>
      <ItemList of={rules} empty={farmer.rules.none} class="cards">
        {(rule) => (
          <RuleCard
            key={rule.id}
            rule={rule}
            organization={organization}
            onChanged={reload}
            onRemove={setOpen}
          />
        )}
      </ItemList>
      {open === 'build' && <RuleDialog organizationId={organization.id} onMade={reload} onClose={close} />}
      {open !== null && open !== 'build' && (
        <Confirm
          title={farmer.rules.removeTitle}
          text={farmer.rules.removeText}
          action={farmer.rules.remove}
          onConfirm={() => remove(open)}
          onClose={close}
        />
      )}
    </>
  );
}
