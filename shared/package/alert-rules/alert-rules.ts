/** Language tag → text; `en` is always there. */
export type LocalizedText = Readonly<Record<string, string>>;

/** The kinds of input that a part can be. */
export const ALERT_PART_FIELDS = ['select', 'number', 'text', 'boolean', 'date'] as const;

export type AlertPartField = (typeof ALERT_PART_FIELDS)[number];

/** One input of the form that a farmer fills to make a rule. */
export interface AlertPart {
  readonly field: AlertPartField;
  readonly title: LocalizedText;
  /** Option key → its text; there whenever `field` is `select`. */
  readonly options: Readonly<Record<string, LocalizedText>> | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly unit: string | null;
}

/** What a rule watches. */
export interface AlertCriterion {
  readonly displayName: LocalizedText;
  readonly description: LocalizedText | null;
  readonly parts: Readonly<Record<string, AlertPart>>;
}

/** The alert rule definition file in its normal form: every member present. */
export interface AlertRules {
  readonly schema: number;
  /** Identifier → criterion; the identifier is what the module's back end gets back. */
  readonly criterias: Readonly<Record<string, AlertCriterion>>;
}
