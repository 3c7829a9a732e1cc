/** The version that an import gives a module, whatever the package says. */
export const MODULE_VERSION = 0.1;

/** The module's texts in one language. */
export interface Translation {
  readonly languageId: string;
  readonly moduleName: string;
  readonly shortName: string | null;
  readonly description: string | null;
  readonly shortDescription: string | null;
  readonly websiteUrl: string | null;
  readonly websiteName: string | null;
  readonly supportContact: string | null;
}

/** One way to pay for the module. */
export interface SubscriptionOption {
  readonly paymentCycleId: string;
  readonly currencyId: string;
  readonly regionId: string | null;
  readonly trialLength: number | null;
  /** At most 15 significant digits, so that a JavaScript number holds it exactly. */
  readonly price: number;
}

/** A variable of one of the module's environments. */
export interface EnvironmentVariable {
  readonly appEnvironmentId: string;
  readonly key: string;
  /** A secret: told by the export alone. */
  readonly value: string;
}

/** What a file of the package is for, and for whom. */
export interface ModuleFile {
  /** Path in the package, in Unicode NFC, `/` between segments. */
  readonly file: string;
  /** ISO 3166-1 alpha-2 or alpha-3, upper case. */
  readonly countryId: string | null;
  /** BCP 47, in the letter case that RFC 5646 recommends. */
  readonly languageId: string | null;
  readonly documentTypeId: string | null;
}

/**
 * `moduleSchema.json` in its normal form: every member present, null or an empty list where the
 * package says nothing, IDs in lower case, sets sorted and without repeats, translations by
 * language, environment variables by environment and key. Two packages that mean the same have the
 * same normal form. Subscription options and module files keep their order.
 */
export interface Descriptor {
  readonly schema: '1.0';
  readonly moduleId: string | null;
  readonly hostingTypeId: string | null;
  readonly typeId: string | null;
  readonly parentId: string | null;
  readonly categoryId: string | null;
  readonly federationTypeId: string | null;
  readonly moduleVersion: typeof MODULE_VERSION;
  readonly vendorInternalCodeVersion: string | null;
  readonly component: string | null;
  readonly entryFileUrl: string | null;
  readonly offlineReason: string | null;
  readonly scope: string | null;
  readonly offlineCapability: boolean | null;
  readonly deploymentType: number | null;
  readonly paymentOptionIds: readonly string[];
  readonly cropIds: readonly string[];
  readonly environmentIds: readonly string[];
  readonly requirementIds: readonly string[];
  readonly dataAreaIds: readonly string[];
  readonly dependencies: readonly string[];
  readonly translations: readonly Translation[];
  readonly subscriptionOptions: readonly SubscriptionOption[];
  readonly environmentVariables: readonly EnvironmentVariable[];
  readonly moduleFiles: readonly ModuleFile[];
}
