import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const OWN_FILES: Readonly<Record<string, string>> = {
  'PackageArtifact/build/index.html': '<!doctype html><title>Soil</title>',
  'ModuleToS/terms-en.md': 'You may use the module.\n',
  'ModulePrivacy/privacy-en.md': 'The module keeps no data.\n',
};

/** Writes a vendor's own texts into a folder of `modulectl init`, so that the module can be released. */
export async function replacePlaceholders(folder: string): Promise<void> {
  const descriptor = path.join(folder, 'moduleSchema.json');
  const text = await readFile(descriptor, 'utf8');
  await writeFile(descriptor, text.replace(/\.(?=",?$)/gm, '!').replaceAll('your-company', 'my-company'));
  for (const [file, content] of Object.entries(OWN_FILES)) await writeFile(path.join(folder, file), content);
}
