import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { PackageLimits } from '../../shared/package/limits.ts';
import { BROKEN_JSON, BROKEN_YAML } from './broken-texts.ts';
import { INVALID_PACKAGES } from './invalid-packages.ts';
import { HONEST_ARCHIVES } from './honest-archives.ts';
import { HOSTILE_ARCHIVES, hostileBytes } from './hostile-archives.ts';
import { HOSTILE_SVGS } from './hostile-svgs.ts';
import {
  examplePackage,
  packageWithDescriptor,
  ROLES_PATH,
  RULES_PATH,
  zipPackage,
} from './package-builder.ts';
import { toolArchive } from './tool-archives.ts';
import { buildZip } from './zip-builder.ts';
import { ZIP_TOOLS } from './zip-tools.ts';

/** One package, good or bad, and the limits that it needs besides the default ones. */
export interface CorpusPackage {
  readonly title: string;
  /** Built each time. */
  readonly bytes: Buffer;
  readonly limits: Partial<PackageLimits>;
}

const WRITERS = path.resolve(import.meta.dirname, '../fixtures/zip/writers');
const DESCRIPTOR = 'moduleSchema.json';

/** Every package that the tests of the rules know: honest, hostile and invalid archives, texts and images. */
export function packageCorpus(): readonly CorpusPackage[] {
  const corpus: CorpusPackage[] = [];
  const add = (title: string, build: () => Buffer, limits: Partial<PackageLimits> = {}) =>
    corpus.push({
      title,
      get bytes() {
        return build();
      },
      limits,
    });
  for (const [group, cases] of Object.entries(HOSTILE_ARCHIVES)) {
    for (const [title, hostile] of Object.entries(cases))
      add(`${group}: ${title}`, () => hostileBytes(hostile), hostile.limits);
  }
  for (const [title, { entries, options }] of Object.entries(HONEST_ARCHIVES))
    add(`honest: ${title}`, () => buildZip(entries, options));
  for (const name of readdirSync(WRITERS).filter((each) => each.endsWith('.zip')))
    add(`writer: ${name}`, () => readFileSync(path.join(WRITERS, name)));
  for (const tool of ZIP_TOOLS) add(`tool: ${tool.tool}`, () => toolArchive(tool));
  for (const [code, entries] of Object.entries(INVALID_PACKAGES))
    add(`invalid: ${code}`, () => zipPackage(entries));
  for (const [title, content] of HOSTILE_SVGS)
    add(`SVG: ${title}`, () => zipPackage(examplePackage({ 'ModuleLogo/logo.svg': content })));
  for (const [title, text] of BROKEN_YAML)
    add(`YAML: ${title}`, () => zipPackage(examplePackage({ [RULES_PATH]: text })));
  for (const [title, text] of BROKEN_JSON) {
    add(`JSON: ${title}`, () => zipPackage(examplePackage({ [DESCRIPTOR]: text })));
    add(`roles: ${title}`, () => zipPackage(examplePackage({ [ROLES_PATH]: text })));
  }
  add('good', () => zipPackage(examplePackage()));
  add('with $schema', () =>
    zipPackage(packageWithDescriptor({ $schema: 'https://vendor.example/schema.json' })),
  );
  add('more problems than are reported', () =>
    zipPackage(packageWithDescriptor({ cropIds: Array(250).fill('x') })),
  );
  return corpus;
}
