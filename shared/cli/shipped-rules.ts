import { loadCatalogue } from '../catalogue/catalogue.ts';
import type { ValidationSettings } from '../package/package-report.ts';
import { DEFAULT_PACKAGE_LIMITS } from '../package/limits.ts';

/** What a server judges by where nothing is set: standard limits and the shipped catalogue. */
export function shippedRules(): ValidationSettings {
  return { limits: DEFAULT_PACKAGE_LIMITS, requiredFolders: [], catalogue: loadCatalogue() };
}
