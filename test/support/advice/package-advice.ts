import { parseDocument } from 'yaml';
import { meaningOf, type PackageProblemCode } from '../../../shared/package/problem-codes.ts';
import type { Problem } from '../../../shared/package/problem.ts';
import {
  examplePackage,
  FARM_AREA_ID,
  FEDERATION_TYPE_ID,
  GERMAN_ID,
  TINY_PNG,
  type PackageEntries,
} from '../package-builder.ts';
import { addItem, editJson, quotedIn, renameFile, textOf, valueAt } from './edit-json.ts';
import { correctedValue } from './schema-advice.ts';
import { correctedSvg } from './svg-advice.ts';
import { correctedText } from './text-advice.ts';

/** A package after the vendor did what a problem's message, or the remedy of its code, says. */
export type Follow = (entries: PackageEntries, problem: Problem) => PackageEntries;

const DESCRIPTOR = 'moduleSchema.json';
/** The package that the vendor meant: where a message asks for content, it comes from here. */
const MEANT = examplePackage();

const without = (entries: PackageEntries, path: string): PackageEntries => ({
  ...entries,
  [path]: undefined,
});

const pathsIn = (entries: PackageEntries, folder: string): readonly string[] =>
  Object.keys(entries).filter((path) => path.startsWith(folder) && entries[path] !== undefined);

function withFolder(entries: PackageEntries, folder: string): PackageEntries {
  return { ...entries, ...Object.fromEntries(pathsIn(MEANT, folder).map((path) => [path, MEANT[path]])) };
}

function moveFolder(entries: PackageEntries, from: string, to: string): PackageEntries {
  return pathsIn(entries, from).reduce(
    (moved, path) => renameFile(moved, path, to + path.slice(from.length)),
    entries,
  );
}

/** Sets the member that a problem points at. */
function setValue(
  entries: PackageEntries,
  { entry = '', pointer = '' }: Problem,
  value: unknown,
): PackageEntries {
  return editJson(entries, entry, pointer, value);
}

const removeValue: Follow = (entries, problem) => setValue(entries, problem, undefined);

const nameInDescriptor: Follow = (entries, { detail }) =>
  addItem(entries, DESCRIPTOR, 'moduleFiles', { file: quotedIn(detail) });

/** Corrects a text at its line and column. Where the message does not say how, the vendor writes what was meant. */
const correctSyntax =
  (kind: 'json' | 'yaml'): Follow =>
  (entries, problem) => {
    const { entry = '' } = problem;
    if (problem.detail.includes('remove the file')) return without(entries, entry);
    const corrected = correctedText(kind, textOf(entries, entry), problem);
    return { ...entries, [entry]: corrected ?? MEANT[entry] };
  };

const isUnknown = (detail: string) => / is not known here\.| is duplicated in /.test(detail);

const correctJsonValue: Follow = (entries, problem) => {
  const { entry = '', pointer = '', detail } = problem;
  if (/has more than 200 characters\. Shorten it/.test(detail))
    return correctSyntax('json')(entries, problem);
  if (detail.includes(' is duplicated in '))
    return editJson(entries, entry, pointer, `${quotedIn(detail)}_2`);
  if (isUnknown(detail)) return removeValue(entries, problem);
  if (pointer === '') return { ...entries, [entry]: MEANT[entry] };
  const current = valueAt(JSON.parse(textOf(entries, entry)), pointer);
  return setValue(entries, problem, correctedValue(detail, pointer, current));
};

const correctYamlValue: Follow = (entries, problem) => {
  const { entry = '', pointer = '', detail } = problem;
  if (/has more than 200 characters\. Shorten it/.test(detail))
    return correctSyntax('yaml')(entries, problem);
  if (pointer === '') return { ...entries, [entry]: MEANT[entry] };
  const document = parseDocument(textOf(entries, entry));
  const path = pointer.split('/').slice(1);
  if (detail.startsWith('The name ')) {
    const value: unknown = document.getIn(path, true);
    document.deleteIn(path);
    document.setIn([...path.slice(0, -1), String(correctedValue(detail, pointer, quotedIn(detail)))], value);
  } else if (detail.endsWith(' must not be below min.')) {
    document.setIn(path, document.getIn([...path.slice(0, -1), 'min']));
  } else document.setIn(path, correctedValue(detail, pointer, document.getIn(path)));
  return { ...entries, [entry]: String(document) };
};

const removeUnknown: Follow = (entries, problem) => {
  const { entry = '', pointer = '', detail } = problem;
  if (!detail.includes('Did you mean ')) return removeValue(entries, problem);
  const value = valueAt(JSON.parse(textOf(entries, entry)), pointer);
  const meant = pointer.slice(0, pointer.lastIndexOf('/') + 1) + quotedIn(detail, 1);
  return editJson(removeValue(entries, problem), entry, meant, value);
};

const removeUnknownLine: Follow = (entries, { entry = '', line = 1, detail }) => {
  const lines = textOf(entries, entry).split('\n');
  const found = lines[line - 1] ?? '';
  const meant = detail.includes('Did you mean ')
    ? [found.replace(quotedIn(detail), quotedIn(detail, 1))]
    : [];
  return { ...entries, [entry]: lines.toSpliced(line - 1, 1, ...meant).join('\n') };
};

const correctType: Follow = (entries, { entry = '', detail, line }) => {
  if (line !== undefined) return { ...entries, [entry]: correctedSvg(textOf(entries, entry), detail) };
  if (detail.includes(' is not PNG, JPEG, ')) return { ...entries, [entry]: TINY_PNG };
  const extension =
    / the extension (\.\w+)\./.exec(detail)?.[1] ?? / such as \w+(\.\w+)\./.exec(detail)?.[1] ?? '';
  return renameFile(entries, entry, entry.replace(/\.\w+$/, '') + extension);
};

const correctArtifact: Follow = (entries, { entry = '', detail }) => {
  const [build = ''] = /PackageArtifact\/build\//.exec(detail) ?? [];
  if (detail.includes(' is not allowed: the only folder '))
    return moveFolder(entries, quotedIn(detail), 'PackageArtifact/build/');
  if (detail.includes(', not next to it.'))
    return renameFile(entries, entry, build + entry.slice('PackageArtifact/'.length));
  return withFolder(entries, build);
};

const correctEntry: Follow = (entries, { entry = '', detail }) => {
  const [, meant] = /If it is meant to be (\S+), its name must be exactly that\./.exec(detail) ?? [];
  const isFolder = entry.endsWith('/');
  if (meant !== undefined)
    return isFolder ? moveFolder(entries, entry, `${meant}/`) : renameFile(entries, entry, meant);
  return isFolder ? pathsIn(entries, entry).reduce(without, entries) : without(entries, entry);
};

const addTranslation: Follow = (entries, { entry = '', detail }) => {
  const [languageId] = /[\da-f-]{36}/.exec(detail) ?? [];
  return addItem(entries, entry, 'translations', { languageId, moduleName: 'Irrigation' });
};

const correctPath: Follow = (entries, problem) => {
  const { detail } = problem;
  if (detail.includes(' meant?')) return setValue(entries, problem, quotedIn(detail, 1));
  if (!detail.includes('The path must start with '))
    return { ...entries, [quotedIn(detail)]: /\.pdf$/.test(detail) ? '%PDF-1.7\n' : TINY_PNG };
  const [folder = ''] = /ModuleToS\//.exec(detail) ?? [];
  return setValue(entries, problem, `${folder}terms.pdf`);
};

/** The vendor's correction for each code that `check` can report of a readable archive. */
export const PACKAGE_ADVICE: Partial<Record<PackageProblemCode, Follow>> = {
  'layout-descriptor-missing': (entries, { entry = '' }) => ({ ...entries, [entry]: MEANT[entry] }),
  'layout-wrapped-in-folder': (entries, { detail }) => moveFolder(entries, quotedIn(detail), ''),
  'layout-entry-unexpected': correctEntry,
  'layout-artifact-folder': correctArtifact,
  'layout-file-count': (entries, { entry = '', detail }) =>
    pathsIn(entries, entry)
      .slice(detail.includes('exactly one file, not 0') ? 0 : 1)
      .reduce(without, entries),
  'layout-file-type': correctType,
  'layout-file-too-large': (entries, { entry = '' }) => ({ ...entries, [entry]: MEANT[entry] }),
  'layout-folder-nested': (entries, { entry = '' }) =>
    renameFile(entries, entry, entry.replace(/\/.*\//, '/')),
  'layout-folder-missing': (entries, { entry = '' }) => withFolder(entries, entry),
  'layout-file-undeclared': nameInDescriptor,
  'layout-file-secret': (entries, { entry = '' }) => pathsIn(entries, entry).reduce(without, entries),
  'layout-file-suspicious': (entries, { entry = '' }) => without(entries, entry),
  'layout-litter-skipped': (entries, { detail }) => without(entries, quotedIn(detail)),
  'layout-part-missing': (entries, { entry = '' }) => withFolder(entries, entry),
  'layout-file-unreferenced': nameInDescriptor,
  'layout-file-content': (entries, { entry = '', detail }) => {
    const [, type = ''] = /its content is ([A-Z]+)\.$/.exec(detail) ?? [];
    return renameFile(entries, entry, entry.replace(/\.\w+$/, `.${type.toLowerCase()}`));
  },
  'layout-active-content': (entries, { entry = '' }) => ({ ...entries, [entry]: MEANT[entry] }),
  'layout-placeholder': (entries, { entry = '' }) => ({
    ...entries,
    [entry]: '<!doctype html><p>Irrigation',
  }),
  'descriptor-not-json': correctSyntax('json'),
  'descriptor-duplicate-key': (entries, problem) =>
    problem.detail.includes(' in another letter case')
      ? removeValue(entries, problem)
      : correctSyntax('json')(entries, problem),
  'descriptor-schema-unsupported': (entries, problem) =>
    setValue(entries, problem, quotedIn(meaningOf(problem.code).remedy)),
  'descriptor-invalid': correctJsonValue,
  'descriptor-english-missing': addTranslation,
  'descriptor-translation-duplicate': (entries, { entry = '', pointer = '' }) =>
    editJson(entries, entry, pointer.replace('/languageId', ''), undefined),
  'descriptor-translation-recommended': addTranslation,
  'descriptor-language-unknown': (entries, problem) => setValue(entries, problem, GERMAN_ID),
  'descriptor-data-area-unknown': (entries, problem) => setValue(entries, problem, FARM_AREA_ID),
  'descriptor-file-missing': correctPath,
  'descriptor-file-misplaced': (entries, { entry = '', pointer = '' }) =>
    editJson(entries, entry, pointer.replace(/\/file$/, ''), undefined),
  'descriptor-property-unknown': removeUnknown,
  'descriptor-document-type-unknown': (entries, problem) => setValue(entries, problem, 'termsOfService'),
  'descriptor-entry-file-missing': (entries, { detail }) => ({
    ...entries,
    [quotedIn(detail)]: 'export {};\n',
  }),
  'descriptor-id-of-other-set': (entries, problem) =>
    setValue(entries, problem, '55555555-5555-4555-8555-555555555555'),
  'descriptor-id-unknown': (entries, problem) => setValue(entries, problem, FEDERATION_TYPE_ID),
  'descriptor-reason-unused': removeUnknown,
  'descriptor-deployment-type-unknown': (entries, problem) =>
    setValue(entries, problem, Number(/which has (\d+)/.exec(problem.detail)?.[1])),
  'descriptor-file-backslash': (entries, problem) => setValue(entries, problem, quotedIn(problem.detail)),
  'descriptor-value-repeated': removeValue,
  'descriptor-price-ambiguous': removeValue,
  'roles-not-json': correctSyntax('json'),
  'roles-invalid': correctJsonValue,
  'roles-environment-key-unknown': (entries, problem) => setValue(entries, problem, 'API_URL'),
  'alert-rules-not-yaml': correctSyntax('yaml'),
  'alert-rules-property-unknown': removeUnknownLine,
  'alert-rules-property-unused': (entries, { entry = '', pointer = '' }) => {
    const document = parseDocument(textOf(entries, entry));
    document.deleteIn(pointer.split('/').slice(1));
    return { ...entries, [entry]: String(document) };
  },
  'alert-rules-invalid': correctYamlValue,
};
