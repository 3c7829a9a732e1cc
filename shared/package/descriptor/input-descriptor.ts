import { moduleSchema } from './module-schema.ts';
import { compileSchema } from '../schema/validate-schema.ts';

type Optional<T> = T | null | undefined;

export interface WrittenTranslation {
  readonly languageId: string;
  readonly moduleName: string;
  readonly shortName?: Optional<string>;
  readonly description?: Optional<string>;
  readonly shortDescription?: Optional<string>;
  readonly websiteUrl?: Optional<string>;
  readonly websiteName?: Optional<string>;
  readonly supportContact?: Optional<string>;
}

export interface WrittenSubscriptionOption {
  readonly paymentCycleId: string;
  readonly currencyId: string;
  readonly regionId?: Optional<string>;
  readonly trialLength?: Optional<number>;
  readonly price: number;
}

export interface WrittenModuleFile {
  readonly file: string;
  readonly countryId?: Optional<string>;
  readonly languageId?: Optional<string>;
  readonly documentTypeId?: Optional<string>;
}

/** `moduleSchema.json` as vendors write it: what is optional may be absent or null, IDs in any letter case. */
export interface WrittenDescriptor {
  readonly schema: '1.0';
  readonly moduleId?: Optional<string>;
  readonly hostingTypeId?: Optional<string>;
  readonly typeId?: Optional<string>;
  readonly parentId?: Optional<string>;
  readonly categoryId?: Optional<string>;
  readonly federationTypeId?: Optional<string>;
  readonly vendorInternalCodeVersion?: Optional<string>;
  readonly component?: Optional<string>;
  readonly entryFileUrl?: Optional<string>;
  readonly offlineReason?: Optional<string>;
  readonly scope?: Optional<string>;
  readonly offlineCapability?: Optional<boolean>;
  readonly deploymentType?: Optional<number>;
  readonly paymentOptionIds?: Optional<readonly string[]>;
  readonly cropIds?: Optional<readonly string[]>;
  readonly environmentIds?: Optional<readonly string[]>;
  readonly requirementIds?: Optional<readonly string[]>;
  readonly dataAreaIds?: Optional<readonly string[]>;
  readonly dependencies?: Optional<readonly string[]>;
  readonly translations: readonly WrittenTranslation[];
  readonly subscriptionOptions?: Optional<readonly WrittenSubscriptionOption[]>;
  readonly environmentVariables?: Optional<
    readonly { appEnvironmentId: string; key: string; value: string }[]
  >;
  readonly moduleFiles?: Optional<readonly WrittenModuleFile[]>;
}

/** Whether a value fits the descriptor's schema; `errors` has what does not. */
export const isWrittenDescriptor = compileSchema<WrittenDescriptor>(moduleSchema);
