import { useOrganization } from '../organization.ts';
import { useModuleName } from '../parts/catalogue.ts';
import { Time } from '../parts/localized.tsx';
import { useEach } from '../parts/use-each.ts';
import { useEvery } from '../parts/use-every.ts';
import type { Schemas } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { useRuleText } from './rule-text.ts';

const REFRESH_MS = 60_000;

type Module = Schemas['AvailableModule'] | null | undefined;

interface NoReportProps {
  readonly rule: Schemas['AlertRule'];
  /** Null: it does not exist any more; undefined: it is being fetched. */
  readonly module: Module;
}

/** Since when a module should have reported a rule, and which module; nothing while it is in time. */
export function NoReport({ rule: { noReportSince, moduleId }, module }: NoReportProps) {
  const texts = useTexts().farmer.rules;
  const nameOf = useModuleName();
  if (noReportSince === null) return null;
  const name = module === undefined ? '…' : module === null ? moduleId : nameOf(module.translations);
  return (
    <>
      <strong>
        {texts.noReportSince} <Time value={noReportSince} />
      </strong>{' '}
      · {name}
    </>
  );
}

/** The rules that modules should have reported: the newest few, and where to see all. */
export function OverdueRules() {
  const texts = useTexts().farmer.rules;
  const { id } = useOrganization();
  const rules = useList(`/${id}/alertRules?overdue=true&limit=5`);
  useEvery(REFRESH_MS, () => void rules.reload());
  const overdue = rules.value ?? [];
  const modules = useEach(
    overdue.map(({ moduleId }) => moduleId),
    (moduleId) => callApi('GET', `/${id}/availableModules/${moduleId}`),
  );
  const ruleText = useRuleText();
  if (overdue.length === 0) return null;
  return (
    <section class="note warn" role="status">
      <ul class="plain">
        {overdue.map((rule) => {
          const module = modules.get(rule.moduleId);
          const { name } = ruleText(rule, module?.alertRules?.criterias[rule.criteria]);
          return (
            <li key={rule.id}>
              <NoReport rule={rule} module={module} /> · {name}
            </li>
          );
        })}
      </ul>
      <a href={`/portal/${id}/rules`}>{rules.readMore === null ? texts.seeRules : texts.seeMoreRules}</a>
    </section>
  );
}
