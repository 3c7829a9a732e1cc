import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { loadCatalogue } from '../../shared/catalogue/catalogue.ts';

/**
 * Writes a platform's own catalogue, in which no entry has its shipped ID. `without` names entries that it does not
 * have, such as `currencies/EUR`.
 */
export async function writeOwnCatalogue(file: string, without: readonly string[] = []): Promise<void> {
  const sets = [...loadCatalogue().sets].map(([set, entries]) => [
    set,
    entries
      .filter(({ key }) => !without.includes(`${set}/${key}`))
      .map(({ key, value, recommended }) => ({
        ...{ id: randomUUID(), key, value },
        ...(recommended === true && { recommended }),
      })),
  ]);
  await writeFile(file, JSON.stringify(Object.fromEntries(sets)));
}
