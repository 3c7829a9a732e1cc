import { createHash } from 'node:crypto';
import { problem, type Problem } from './problem.ts';
import { isMembers, type LocatedItem, type Members, rootItems } from './schema/read-members.ts';
import { pointerTo } from './text/json-pointer.ts';
import { type LocatedText, problemAt } from './text/located-text.ts';
import { quoteText } from './text/quote-value.ts';

/** The code of each problem that this file finds. */
export const PLACEHOLDER_CODE = 'layout-placeholder';

/** What `modulectl init` writes into a translation, by the key of its language. `reason` is that of each data area. */
export const PLACEHOLDER_TEXTS = {
  en: {
    shortDescription: 'One sentence for the marketplace.',
    description: 'The benefit of the module for a farmer, and its requirements.',
    reason: 'Why the module needs this data.',
  },
  de: {
    shortDescription: 'Ein Satz für den Marktplatz.',
    description: 'Was das Modul einem Betrieb nützt, und was es voraussetzt.',
    reason: 'Wozu das Modul diese Daten braucht.',
  },
  es: {
    shortDescription: 'Una frase para el mercado.',
    description: 'Qué aporta el módulo al agricultor y qué requisitos tiene.',
    reason: 'Para qué necesita el módulo estos datos.',
  },
};

/** What it writes into each translation. */
export const PLACEHOLDER_ADDRESSES = {
  websiteUrl: 'https://your-company.example',
  supportContact: 'support@your-company.example',
};

/** The files that it writes for its author to replace. */
export const PLACEHOLDER_FILES = {
  terms: `<!-- Decide: what farmers agree to. One file per country and language, each named in moduleFiles. -->

# Terms of use
`,
  privacy: `<!-- Decide: what you do with farm data. One file per country and language, each named in moduleFiles. -->

# Privacy
`,
  page: `<!doctype html>
<!-- Decide: replace this folder's content with the output of your build. -->
<html lang="en">
  <meta charset="utf-8" />
  <title>My module</title>
  <p>The module goes here.</p>
</html>
`,
};

const TEXTS: ReadonlySet<string> = new Set([
  ...Object.values(PLACEHOLDER_TEXTS).flatMap((each) => Object.values(each)),
  ...Object.values(PLACEHOLDER_ADDRESSES),
]);

/** The SHA-256 of each file, as it is and as Git checks it out on Windows. */
export const PLACEHOLDER_HASHES: ReadonlySet<string> = new Set(
  Object.values(PLACEHOLDER_FILES)
    .flatMap((text) => [text, text.replaceAll('\n', '\r\n')])
    .map((text) => createHash('sha256').update(text).digest('hex')),
);

/** Placeholders in the translations of a descriptor. */
export function placeholderProblems(text: LocatedText): Problem[] {
  return placeholderTexts(rootItems(text, 'translations', isMembers)).map(({ pointer, item }) =>
    problemAt(text, PLACEHOLDER_CODE, pointer, textDetail(item)),
  );
}

/** The problem of a file that is a placeholder; null if it is none. */
export function placeholderFileProblem({ path, sha256 }: HashedFile): Problem | null {
  if (!PLACEHOLDER_HASHES.has(sha256)) return null;
  const detail = `${quoteText(path)} is as modulectl init wrote it. Replace its content: a revision with it is not released.`;
  return problem(PLACEHOLDER_CODE, detail, { entry: path });
}

interface HashedFile {
  readonly path: string;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** The placeholders of a revision, by what is stored of it: none of them has a line. */
export function placeholdersOf(
  translations: readonly object[],
  files: readonly HashedFile[],
): readonly Problem[] {
  const items = translations.flatMap((item, index) =>
    isMembers(item) ? [{ pointer: `/translations/${index}`, item }] : [],
  );
  return [
    ...placeholderTexts(items).map(({ pointer, item }) =>
      problem(PLACEHOLDER_CODE, textDetail(item), { entry: 'moduleSchema.json', pointer }),
    ),
    ...files.flatMap((file) => placeholderFileProblem(file) ?? []),
  ];
}

function textDetail(text: string): string {
  return `${quoteText(text)} is a placeholder of modulectl init. Write your own: a revision with it is not released.`;
}

/** Members of translations, and of their `dataAreaReasons`, that are placeholders. */
function placeholderTexts(translations: readonly LocatedItem<Members>[]): readonly LocatedItem<string>[] {
  return translations.flatMap(({ pointer, item }) => {
    const { dataAreaReasons } = item;
    const reasons = isMembers(dataAreaReasons) ? dataAreaReasons : {};
    return [...textsIn(item, pointer), ...textsIn(reasons, pointerTo(pointer, 'dataAreaReasons'))];
  });
}

function textsIn(members: Members, pointer: string): readonly LocatedItem<string>[] {
  return Object.entries(members).flatMap(([name, value]) =>
    typeof value === 'string' && TEXTS.has(value) ? [{ pointer: pointerTo(pointer, name), item: value }] : [],
  );
}
