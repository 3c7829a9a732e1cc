import type * as product from '../../../../../../shared/package/validate-package.ts';
import { parsePackage, reportOf } from '../../../simulated-package.ts';

/** Reads the whole package, and takes as long as it says. */
export const validatePackage: typeof product.validatePackage = async (source, _settings, onProgress) => {
  const content = parsePackage(await source.read(0, source.sizeBytes));
  onProgress?.(1, 2);
  await new Promise((resolve) => setTimeout(resolve, content.validationMs));
  return reportOf(content);
};
