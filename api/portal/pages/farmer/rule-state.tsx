import type { ComponentChildren } from 'preact';
import { useModuleName } from '../parts/catalogue.ts';
import { Ago, Badge, Time } from '../parts/facts.tsx';
import { LoadedList } from '../parts/lists.tsx';
import { Section, useOrganization } from '../parts/page.tsx';
import type { Schemas } from '../server/call-api.ts';
import { type Named, useEvery, useList, useNamed } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { useRuleText } from './rule-text.tsx';

const REFRESH_MS = 60_000;

type AlertRule = Schemas['AlertRule'];
type Module = Named<Schemas['AvailableModule']>;

interface RuleStateProps {
  readonly rule: AlertRule;
  readonly module: Module;
}

/** Whether a rule is watched, not watched, or off. */
export function RuleBadge({ rule: { enabled, watched, lastReportAt } }: Pick<RuleStateProps, 'rule'>) {
  const texts = useTexts().rules;
  if (!enabled) return <Badge tone="calm">{texts.off}</Badge>;
  if (!watched) return <Badge tone="warn">{texts.notWatched}</Badge>;
  return (
    <>
      <Badge tone="good">{texts.watched}</Badge>{' '}
      {lastReportAt !== null && (
        <>
          {texts.lastReport} <Ago value={lastReportAt} />
        </>
      )}
    </>
  );
}

/** Why nobody watches a rule that is on, and the link to what changes that; nothing of other rules. */
export function Unwatched({ rule, module }: RuleStateProps) {
  const texts = useTexts().rules;
  const { id } = useOrganization();
  const moduleName = useNameOf()(rule.moduleId, module);
  const { unwatchedReason: reason, silentAt, moduleId } = rule;
  if (reason === null || reason === 'rule-disabled') return null;
  return (
    <>
      <strong>
        {texts.reasons[reason]} {silentAt !== null && <Time value={silentAt} />}
      </strong>{' '}
      · {moduleName} ·{' '}
      <a href={`/portal/${id}/${reason === 'rule-outdated' ? 'rules' : `market/${moduleId}`}`}>
        {texts.remedies[reason]}
      </a>
    </>
  );
}

/** The rules that are on and that nobody watches: the newest few, and where to see all. */
export function UnwatchedRules() {
  const texts = useTexts().rules;
  const { id } = useOrganization();
  const rules = useList(`/${id}/alertRules?state=unwatched&limit=5`);
  useEvery(REFRESH_MS, () => void rules.reload());
  const unwatched = rules.value ?? [];
  if (unwatched.length === 0) return null;
  return (
    <section class="note warn" role="status">
      <ul class="plain">
        {unwatched.map((rule) => (
          <UnwatchedRule key={rule.id} rule={rule} />
        ))}
      </ul>
      <a href={`/portal/${id}/rules`}>{rules.readMore === null ? texts.seeRules : texts.seeMoreRules}</a>
    </section>
  );
}

function UnwatchedRule({ rule }: { readonly rule: AlertRule }) {
  const { id } = useOrganization();
  const module = useNamed(`/${id}/availableModules/${rule.moduleId}`);
  const { name } = useRuleText()(rule, module);
  return (
    <li>
      {name}: <Unwatched rule={rule} module={module} />
    </li>
  );
}

/** The state of each rule on a farm's page, by module. */
export function RuleStates() {
  const { common } = useTexts();
  const { id } = useOrganization();
  const rules = useList(`/${id}/alertRules`);
  if (rules.value?.length === 0) return null;
  return (
    <>
      <h2>{common.pages.rules}</h2>
      <RulesByModule of={rules}>
        {(rule, module) => <RuleLine key={rule.id} {...{ rule, module }} />}
      </RulesByModule>
    </>
  );
}

function RuleLine(props: RuleStateProps) {
  const { rule, module } = props;
  const { name } = useRuleText()(rule, module);
  return (
    <li>
      {name} <RuleBadge rule={rule} /> <Unwatched {...props} />
    </li>
  );
}

interface RulesByModuleProps {
  readonly of: ReturnType<typeof useList<`/${string}/alertRules`>>;
  readonly class?: 'cards';
  /** A rule of a module, as a list item with a key. */
  readonly children: (rule: AlertRule, module: Module) => ComponentChildren;
}

/** Rules under the names of their modules: first the module of the newest rule. */
export function RulesByModule({ of, ...list }: RulesByModuleProps) {
  const texts = useTexts().rules;
  return (
    <LoadedList of={of} empty={texts.none}>
      {(rules) =>
        [...new Set(rules.map(({ moduleId }) => moduleId))].map((moduleId) => (
          <RulesOfModule
            key={moduleId}
            moduleId={moduleId}
            rules={rules.filter((rule) => rule.moduleId === moduleId)}
            {...list}
          />
        ))
      }
    </LoadedList>
  );
}

interface RulesOfModuleProps extends Omit<RulesByModuleProps, 'of'> {
  readonly moduleId: string;
  readonly rules: readonly AlertRule[];
}

function RulesOfModule({ moduleId, rules, class: kind, children }: RulesOfModuleProps) {
  const { id } = useOrganization();
  const nameOf = useNameOf();
  const module = useNamed(`/${id}/availableModules/${moduleId}`);
  return (
    <Section title={nameOf(moduleId, module)}>
      <ul class={kind === undefined ? 'plain' : `plain ${kind}`}>
        {rules.map((rule) => children(rule, module))}
      </ul>
    </Section>
  );
}

/** Returns the name of a module, or its ID where it does not exist any more. */
export function useNameOf() {
  const nameOf = useModuleName();
  return (moduleId: string, module: Module) =>
    module === undefined ? '…' : module === null ? moduleId : nameOf(module.translations);
}
