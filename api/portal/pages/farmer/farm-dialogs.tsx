import { useDialogs } from '../parts/dialogs.tsx';
import { choiceField, nameField, textField } from '../parts/fields.tsx';
import { MAX_NAME, shortened } from '../parts/max-name.ts';
import { useOrganization } from '../parts/page.tsx';
import { callApi, CallError, PRECONDITION_FAILED, type Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';
import { isArea, type ReadArea } from './areas/area.ts';
import { areaFileField } from './areas/area-file-field.tsx';
import { type AreaResult, AreaResults, joined } from './areas/area-results.tsx';

type Farm = Schemas['Farm'];

/** Returns functions that create a farm, and upload areas as its fields or as its boundary. */
export function useFarmDialogs(reload: () => Promise<void>) {
  const { common, farms: texts } = useTexts();
  const { id: organizationId } = useOrganization();
  const dialogs = useDialogs(reload);
  const resultsFor = useAreaResults();
  const write = (farm: Schemas['FarmInput']) =>
    callApi('PUT', `/${organizationId}/structures`, { farms: [farm] });
  const fileField = (farm: Farm | null, hint: string) =>
    areaFileField({ label: texts.file, hint, required: farm !== null }, resultsFor(farm));
  const use = choiceField({ label: texts.use, options: texts.uses, value: 'fields' });
  const add = () => {
    // One ID for all attempts: after a lost answer, the next one does not create a second farm.
    const id = crypto.randomUUID();
    dialogs.form({
      title: texts.addTitle,
      action: common.save,
      fields: {
        name: nameField({ label: texts.farmName, required: true }),
        areas: fileField(null, texts.optionalFileHint),
        use,
      },
      shown: ({ areas }) => (areas.length === 0 ? ['name', 'areas'] : ['name', 'areas', 'use']),
      below: (values) => <Results farm={null} {...values} />,
      isReady: ({ name, areas }) => name.trim() !== '' && (areas.length === 0 || areas.some(isArea)),
      submit: ({ name, ...values }) => write({ id, name: name.trim(), ...partsOf(values) }),
    });
  };
  const upload = (farm: Farm) =>
    dialogs.form({
      title: texts.uploadTitle(farm.name),
      action: (values) =>
        values.use === 'fields' ? texts.saveFields(values.areas.filter(isArea).length) : common.save,
      fields: { areas: fileField(farm, texts.uploadHint), use },
      below: (values) => <Results farm={farm} {...values} />,
      isReady: ({ areas }) => areas.some(isArea),
      submit: (values) => write({ id: farm.id, ...partsOf(values) }),
    });
  /** Fields of the first farm, or of one to be created. */
  const bringIn = ([farm]: readonly Farm[]) => (farm === undefined ? add() : upload(farm));
  return { add, upload, bringIn };
}

/** The areas of a file, and what they are. */
interface Areas {
  readonly areas: readonly AreaResult[];
  readonly use: 'fields' | 'boundary';
}

function Results({ farm, areas, use }: Areas & { readonly farm: Farm | null }) {
  const texts = useTexts().farms;
  const results = use === 'fields' ? areas : areas.map((each) => ({ ...each, result: texts.partOfBoundary }));
  return <AreaResults farm={farm} results={results} />;
}

/** Returns what erases all farms, if they are those that the reader saw. */
export function useErase(reload: () => Promise<void>) {
  const { farms: texts } = useTexts();
  const { id: organizationId, name: organizationName } = useOrganization();
  const dialogs = useDialogs(reload);
  return (seenTag: string) =>
    dialogs.form({
      title: texts.eraseTitle,
      text: texts.eraseText,
      action: texts.erase,
      isHarmless: false,
      fields: { name: textField({ label: texts.typeName(organizationName), required: true }) },
      isReady: ({ name }) => asShown(name) === asShown(organizationName),
      submit: async () => {
        const path = `/${organizationId}/structures` as const;
        if (await isDone(callApi('DELETE', path, undefined, seenTag))) return;
        dialogs.note({ title: texts.eraseTitle, content: <p>{texts.notErased}</p> });
      },
    });
}

/** A name as a page shows it: nobody can read off how many blanks it has. */
const asShown = (name: string) => name.normalize().trim().replaceAll(/\s+/g, ' ');

/** Whether a call was made; false: what it acts on has changed since the reader saw it. @throws CallError */
export async function isDone(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof CallError && error.status === PRECONDITION_FAILED) return false;
    throw error;
  }
}

function fieldsOf(results: readonly AreaResult[]) {
  return results.filter(isArea).map(({ id, name, geometry }) => ({ id, name, boundary: geometry }));
}

function partsOf({ areas, use }: Areas) {
  return use === 'fields' ? { fields: fieldsOf(areas) } : boundaryOf(areas);
}

function boundaryOf(results: readonly AreaResult[]) {
  const areas = results.filter(isArea).map(({ geometry }) => geometry);
  return areas.length === 0 ? {} : { boundary: joined(areas) };
}

/**
 * Returns what becomes of the areas of a file as fields: an area with the name of a field replaces its boundary, and
 * the second area with a name gets a number, so that the same file replaces the same fields next time.
 */
function useAreaResults(): (farm: Farm | null) => (areas: readonly ReadArea[]) => readonly AreaResult[] {
  const texts = useTexts().farms;
  return (farm) => (areas) => {
    const fields = farm?.fields ?? [];
    const known = new Map(fields.map(({ name, id }) => [name, id]));
    const used = new Set<string>();
    return areas.map((area, index) => {
      const given = area.name ?? texts.fieldNumber(fields.length + index + 1);
      if (!isArea(area)) return { ...area, id: crypto.randomUUID(), name: given, result: '' };
      const name = unusedName(given, used);
      used.add(name);
      const id = known.get(name);
      const result = id === undefined ? texts.newField : texts.knownField;
      return { ...area, id: id ?? crypto.randomUUID(), name, result };
    });
  };
}

function unusedName(name: string, used: ReadonlySet<string>): string {
  for (let count = 1; ; count += 1) {
    const suffix = count === 1 ? '' : ` (${count})`;
    const candidate = shortened(name, MAX_NAME - suffix.length) + suffix;
    if (!used.has(candidate)) return candidate;
  }
}
