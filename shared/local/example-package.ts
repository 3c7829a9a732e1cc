import { isDeepStrictEqual } from 'node:util';
import { loadCatalogue, type Catalogue } from '../catalogue/catalogue.ts';
import type { ZipFile } from '../package/archive/write-zip.ts';
import { descriptorForm } from '../package/descriptor/module-schema.ts';
import { DESCRIPTOR_PATH } from '../package/layout/layout.ts';
import { isMembers } from '../package/schema/read-members.ts';
import type { SchemaPart } from '../package/schema/schema-parts.ts';
import { filesOf } from './zip-folder.ts';

/** The example module as a package for the catalogue of a service. */
export interface ExamplePackage {
  readonly files: readonly ZipFile[];
  /** Entries that the catalogue does not have, such as `currencies/EUR`: the package is without what needs them. */
  readonly missing: readonly string[];
}

/** Reads the example module, whose descriptor has shipped IDs, with those that the catalogue has for the same keys. */
export async function readExample(folder: string, catalogue: Catalogue): Promise<ExamplePackage> {
  const files: ZipFile[] = [];
  const own = new OwnIds(catalogue);
  for await (const file of filesOf(folder)) {
    if (file.path === DESCRIPTOR_PATH) files.push({ ...file, content: own.descriptor(file.content) });
    else files.push(file);
  }
  return { files, missing: [...own.missing] };
}

/** Replaces shipped IDs by those of a catalogue. */
class OwnIds {
  readonly missing = new Set<string>();
  readonly #catalogue: Catalogue;
  /** Set and key of each shipped ID. */
  readonly #shipped = new Map(
    [...loadCatalogue().sets].flatMap(([set, entries]) =>
      entries.map(({ id, key }) => [id, { set, key }] as const),
    ),
  );

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  descriptor(content: Buffer): Buffer {
    const given: unknown = JSON.parse(content.toString());
    const own = this.#replaced(descriptorForm, given);
    return isDeepStrictEqual(own, given) ? content : Buffer.from(`${JSON.stringify(own, null, 2)}\n`);
  }

  /** Undefined: the value, or a member that it must have, is an ID that the catalogue does not have. */
  #replaced({ properties = {}, items = {}, required = [] }: SchemaPart, value: unknown): unknown {
    if (typeof value === 'string') {
      const entry = this.#shipped.get(value);
      return entry === undefined ? value : this.#idOf(entry.set, entry.key);
    }
    if (Array.isArray(value))
      return value.map((item) => this.#replaced(items, item)).filter((item) => item !== undefined);
    if (!isMembers(value)) return value;
    const members = Object.entries(value)
      .map(([name, member]) => {
        // The one member that names an entry by its key.
        const isKnown =
          name !== 'deploymentType' || this.#idOf('deploymentTypes', String(member)) !== undefined;
        return [name, isKnown ? this.#replaced(properties[name] ?? {}, member) : undefined] as const;
      })
      .filter(([, member]) => member !== undefined);
    const names = new Set(members.map(([name]) => name));
    return required.every((name) => names.has(name)) ? Object.fromEntries(members) : undefined;
  }

  #idOf(set: string, key: string): string | undefined {
    const id = this.#catalogue.entry(set, key)?.id;
    if (id === undefined) this.missing.add(`${set}/${key}`);
    return id;
  }
}
