import { compareText } from '../text/compare-text.ts';
import { MODULE_VERSION } from './descriptor.ts';
import type {
  Descriptor,
  EnvironmentVariable,
  ModuleFile,
  SubscriptionOption,
  Translation,
} from './descriptor.ts';
import { mergeTranslations } from './merge-translations.ts';
import { languageTagCase } from './text-formats.ts';
import type {
  WrittenDescriptor,
  WrittenModuleFile,
  WrittenSubscriptionOption,
  WrittenTranslation,
} from './input-descriptor.ts';

const EMPTY_GUID = '00000000-0000-0000-0000-000000000000';

/** An optional ID in lower case; null for absent, null and the empty GUID, which are one. */
export function normalId(id: string | null | undefined): string | null {
  const lower = id?.toLowerCase() ?? EMPTY_GUID;
  return lower === EMPTY_GUID ? null : lower;
}

/** The path that an item of `moduleFiles` names, as paths are in the archive. */
export function normalPath(file: string): string {
  return file.normalize('NFC').replaceAll('\\', '/');
}

function normalSet(ids: readonly string[] | null | undefined): readonly string[] {
  return [...new Set((ids ?? []).map((id) => id.toLowerCase()))].toSorted(compareText);
}

/** -0 and 0 are one price. */
function normalNumber(value: number): number {
  return value === 0 ? 0 : value;
}

function normalTranslation(written: WrittenTranslation): Translation {
  return {
    languageId: written.languageId.toLowerCase(),
    moduleName: written.moduleName,
    shortName: written.shortName ?? null,
    description: written.description ?? null,
    shortDescription: written.shortDescription ?? null,
    websiteUrl: written.websiteUrl ?? null,
    websiteName: written.websiteName ?? null,
    supportContact: written.supportContact ?? null,
  };
}

function normalOption(written: WrittenSubscriptionOption): SubscriptionOption {
  const { trialLength = null } = written;
  return {
    paymentCycleId: written.paymentCycleId.toLowerCase(),
    currencyId: written.currencyId.toLowerCase(),
    regionId: normalId(written.regionId),
    trialLength: trialLength === null ? null : normalNumber(trialLength),
    price: normalNumber(written.price),
  };
}

function normalVariables(written: WrittenDescriptor['environmentVariables']): readonly EnvironmentVariable[] {
  return (written ?? [])
    .map(({ appEnvironmentId, key, value }) => ({
      appEnvironmentId: appEnvironmentId.toLowerCase(),
      key,
      value,
    }))
    .toSorted((a, b) => compareText(a.appEnvironmentId, b.appEnvironmentId) || compareText(a.key, b.key));
}

function normalFile({ file, countryId, languageId, documentTypeId }: WrittenModuleFile): ModuleFile {
  return {
    file: normalPath(file),
    countryId: countryId?.toUpperCase() ?? null,
    languageId: typeof languageId === 'string' ? languageTagCase(languageId) : null,
    documentTypeId: normalId(documentTypeId),
  };
}

/** The normal form of a descriptor that has passed every rule. */
export function normalDescriptor(written: WrittenDescriptor): Descriptor {
  const { deploymentType = null } = written;
  return {
    schema: written.schema,
    moduleId: normalId(written.moduleId),
    hostingTypeId: normalId(written.hostingTypeId),
    typeId: normalId(written.typeId),
    parentId: normalId(written.parentId),
    categoryId: normalId(written.categoryId),
    federationTypeId: normalId(written.federationTypeId),
    moduleVersion: MODULE_VERSION,
    vendorInternalCodeVersion: written.vendorInternalCodeVersion ?? null,
    component: written.component ?? null,
    entryFileUrl: written.entryFileUrl ?? null,
    offlineReason: written.offlineReason ?? null,
    scope: written.scope ?? null,
    offlineCapability: written.offlineCapability ?? null,
    deploymentType: deploymentType === null ? null : normalNumber(deploymentType),
    paymentOptionIds: normalSet(written.paymentOptionIds),
    cropIds: normalSet(written.cropIds),
    environmentIds: normalSet(written.environmentIds),
    requirementIds: normalSet(written.requirementIds),
    dataAreaIds: normalSet(written.dataAreaIds),
    dependencies: normalSet(written.dependencies),
    translations: mergeTranslations([], written.translations.map(normalTranslation)),
    subscriptionOptions: (written.subscriptionOptions ?? []).map(normalOption),
    environmentVariables: normalVariables(written.environmentVariables),
    moduleFiles: (written.moduleFiles ?? []).map(normalFile),
  };
}
