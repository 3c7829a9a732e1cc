import type { StructureForm, StructureRow } from '../../shared/db/structures/read-structures.ts';

/** Converts the structures of one organization, in their order, to the text of an answer, piece by piece. */
export interface StructureText {
  /** The text of the next structure; empty for one that is omitted. */
  next(row: StructureRow): string;
  /** The end of the text. */
  end(): string;
}

/** Farms with their fields, blocks and irrigation stations nested, with commas between the farms. */
class NestedText implements StructureText {
  readonly #withArchived: boolean;
  #farms = 0;
  #fields = 0;
  #blocks = 0;
  #stations = 0;
  /** The list that must still be closed: a farm's fields, a field's blocks, or a farm's stations. */
  #open: 'nothing' | 'fields' | 'blocks' | 'stations' = 'nothing';
  #skipsFarm = false;
  #skipsField = false;

  constructor(withArchived: boolean) {
    this.#withArchived = withArchived;
  }

  next(row: StructureRow): string {
    const isOmitted = row.isArchived && !this.#withArchived;
    const head = row.json.slice(0, -1);
    if (row.kind === 'farm') {
      const closed = this.#closeFarm();
      this.#skipsFarm = isOmitted;
      if (isOmitted) return closed;
      this.#fields = this.#stations = 0;
      this.#open = 'fields';
      return `${closed}${comma(this.#farms++)}${head},"fields":[`;
    }
    if (this.#skipsFarm) return '';
    if (row.kind === 'field') {
      const closed = this.#closeField();
      this.#skipsField = isOmitted;
      if (isOmitted) return closed;
      this.#blocks = 0;
      this.#open = 'blocks';
      return `${closed}${comma(this.#fields++)}${head},"blocks":[`;
    }
    if (isOmitted) return '';
    if (row.kind === 'block') return this.#skipsField ? '' : comma(this.#blocks++) + row.json;
    return this.#openStations() + comma(this.#stations++) + row.json;
  }

  end(): string {
    return this.#closeFarm();
  }

  #closeField(): string {
    if (this.#open !== 'blocks') return '';
    this.#open = 'fields';
    return ']}';
  }

  #openStations(): string {
    if (this.#open === 'stations') return '';
    const closed = this.#closeField();
    this.#open = 'stations';
    return `${closed}],"irrigationStations":[`;
  }

  #closeFarm(): string {
    if (this.#open === 'nothing') return '';
    const closed = `${this.#openStations()}]}`;
    this.#open = 'nothing';
    return closed;
  }
}

/** Features with a comma before each but the first of all. */
class FeatureText implements StructureText {
  readonly #withArchived: boolean;
  readonly #count: { features: number };
  #skipsFarm = false;
  #skipsField = false;

  constructor(withArchived: boolean, count: { features: number }) {
    this.#withArchived = withArchived;
    this.#count = count;
  }

  next({ kind, isArchived, json }: StructureRow): string {
    const isOmitted = isArchived && !this.#withArchived;
    if (kind === 'farm') this.#skipsFarm = isOmitted;
    if (kind === 'field') this.#skipsField = isOmitted;
    const isInside = this.#skipsFarm || (kind === 'block' && this.#skipsField);
    return isOmitted || isInside ? '' : comma(this.#count.features++) + json;
  }

  end(): string {
    return '';
  }
}

function comma(before: number): string {
  return before === 0 ? '' : ',';
}

/** The text of each organization of one answer; features are counted through all of them. */
export function structureTexts(form: StructureForm, withArchived: boolean): () => StructureText {
  const count = { features: 0 };
  return () => (form === 'nested' ? new NestedText(withArchived) : new FeatureText(withArchived, count));
}
