import type { Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

/** What a farmer decides in the dialog of a module. */
export interface Decision {
  readonly areas: readonly string[];
  /** Whether the terms are accepted. */
  readonly isAgreed: boolean;
}

/** What a decision is about: an offer, and what the farmer agreed to before; null: the module is not installed. */
export interface Decided {
  readonly offer: Schemas['AvailableModule'];
  readonly installed: Schemas['Installation'] | null;
}

/** The number of data areas that a module gets in addition, and of those that it loses, of those that it requests. */
function shared({ offer, installed }: Decided, { areas }: Decision) {
  const accepted = installed?.acceptedDataAreaIds ?? [];
  const more = offer.dataAreaIds.filter((id) => areas.includes(id) && !accepted.includes(id)).length;
  const less = offer.dataAreaIds.filter((id) => !areas.includes(id) && accepted.includes(id)).length;
  return { more, less };
}

/** Whether the terms have to be accepted: those of a new module, or those that replace the accepted ones. */
export function areTermsNew({ offer, installed }: Decided): boolean {
  return (installed === null ? offer.terms : (installed.pendingConsent?.terms ?? [])).length > 0;
}

/** Whether the farmer only takes data areas from the module: this needs no other terms. */
function onlyTakes(decided: Decided, decision: Decision): boolean {
  const { more, less } = shared(decided, decision);
  const isRefused = areTermsNew(decided) && !decision.isAgreed;
  return isRefused && decided.installed !== null && more === 0 && less > 0;
}

/** Whether the farmer can decide so. */
export function isDecision(decided: Decided, decision: Decision): boolean {
  return !areTermsNew(decided) || decision.isAgreed || onlyTakes(decided, decision);
}

/** Whether the farmer decides about a version that needs another consent. */
export function isUpdate(decided: Decided, decision: Decision): boolean {
  const pending = decided.installed?.pendingConsent ?? null;
  return pending !== null && !onlyTakes(decided, decision);
}

/** Returns what the button says that it does. */
export function useDecisionWords(): (decided: Decided, decision: Decision) => string {
  const { common, market: texts } = useTexts();
  return (decided, decision) => {
    if (decided.installed === null) return installWords(decided.offer.prices, texts);
    const { more, less } = shared(decided, decision);
    if (isUpdate(decided, decision)) return more === 0 ? texts.update : texts.updateAndShare(more);
    if (more > 0 && less === 0) return texts.share(more);
    return less > 0 && more === 0 ? texts.shareLess(less) : common.save;
  };
}

/** Of several prices only what is true of each of them. */
function installWords(
  prices: readonly Schemas['Price'][],
  texts: ReturnType<typeof useTexts>['market'],
): string {
  const [first] = prices;
  if (first === undefined) return texts.install;
  if (prices.every(({ price }) => price === 0)) return texts.installFree;
  const days = first.trialLength ?? 0;
  const isSame = prices.every(({ price, trialLength }) => price > 0 && trialLength === days);
  return days > 0 && isSame ? texts.installTrial(days) : texts.install;
}
