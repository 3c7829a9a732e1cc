import { readFileSync } from 'node:fs';

/** The shell blocks of a page, in order, without the indentation that a list gives them. */
export function shellBlocks(page: string): readonly string[] {
  const text = readFileSync(page, 'utf8');
  return [...text.matchAll(/^( *)```sh\n(.*?)^ *```$/gms)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** The only shell block of a page that contains a text. @throws Error where there is none, or more than one */
export function shellBlockWith(page: string, text: string): string {
  const found = shellBlocks(page).filter((block) => block.includes(text));
  const [block] = found;
  if (block === undefined || found.length > 1)
    throw new Error(`${found.length} blocks of ${page} contain ${text}`);
  return block;
}

/** A text with replacements, each of which must be there. */
export function replaced(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`there is no ${from} in: ${result}`);
    return result.replaceAll(from, to);
  }, text);
}
