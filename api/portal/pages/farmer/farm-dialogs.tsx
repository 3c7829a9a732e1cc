import { useDialogs } from '../parts/dialogs.tsx';
import { choiceField, textField } from '../parts/fields.tsx';
import { MAX_NAME } from '../parts/max-name.ts';
import { useOrganization } from '../parts/page.tsx';
import { callApi, CallError, PRECONDITION_FAILED, type Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';
import { isArea, type ReadArea } from './areas/area.ts';
import { areaFileField } from './areas/area-file-field.tsx';
import { type AreaResult, AreaResults, joined } from './areas/area-results.tsx';

type Farm = Schemas['Farm'];

/** Returns functions that create a farm, and upload areas as the fields of a farm or as its boundary. */
export function useFarmDialogs(reload: () => Promise<void>) {
  const { common, farms: texts } = useTexts();
  const { id: organizationId } = useOrganization();
  const dialogs = useDialogs();
  const resultsFor = useAreaResults();
  const write = (farm: Schemas['FarmInput']) =>
    callApi('PUT', `/${organizationId}/structures`, { farms: [farm] });
  const add = () => {
    // One ID for all attempts: after a lost answer, the next one does not create a second farm.
    const id = crypto.randomUUID();
    dialogs.form({
      title: texts.addTitle,
      action: common.save,
      fields: {
        name: textField({ label: texts.farmName, maxLength: MAX_NAME, required: true }),
        areas: areaFileField({ label: texts.boundaryFile, hint: texts.boundaryFileHint }, resultsFor(null)),
      },
      below: ({ areas }) => <AreaResults farm={null} results={areas.map(asBoundary)} />,
      isReady: ({ name, areas }) => name.trim() !== '' && (areas.length === 0 || areas.some(isArea)),
      submit: ({ name, areas }) => write({ id, name: name.trim(), ...boundaryOf(areas) }),
      reload,
    });
  };
  const asBoundary = (each: AreaResult) => ({ ...each, result: texts.partOfBoundary });
  const upload = (farm: Farm) =>
    dialogs.form({
      title: texts.uploadTitle(farm.name),
      action: ({ areas, use }) =>
        use === 'fields' ? texts.saveFields(areas.filter(isArea).length) : common.save,
      fields: {
        areas: areaFileField({ label: texts.file, hint: texts.uploadHint, required: true }, resultsFor(farm)),
        use: choiceField({ label: texts.use, options: texts.uses, value: 'fields' }),
      },
      below: ({ areas, use }) => (
        <AreaResults farm={farm} results={use === 'fields' ? areas : areas.map(asBoundary)} />
      ),
      isReady: ({ areas }) => areas.some(isArea),
      submit: ({ areas, use }) =>
        write({ id: farm.id, ...(use === 'fields' ? { fields: fieldsOf(areas) } : boundaryOf(areas)) }),
      reload,
    });
  return { add, upload };
}

/** Returns what erases all farms, if they are those that the reader saw. */
export function useErase(reload: () => Promise<void>) {
  const { farms: texts } = useTexts();
  const { id: organizationId, name: organizationName } = useOrganization();
  const dialogs = useDialogs();
  return (seenTag: string) =>
    dialogs.form({
      title: texts.eraseTitle,
      text: texts.eraseText,
      action: texts.erase,
      isHarmless: false,
      fields: { name: textField({ label: texts.typeName(organizationName), required: true }) },
      isReady: ({ name }) => name.trim() === organizationName,
      submit: async () => {
        const path = `/${organizationId}/structures` as const;
        if (await isDone(callApi('DELETE', path, undefined, seenTag))) return;
        dialogs.note({ title: texts.eraseTitle, content: <p>{texts.notErased}</p> });
      },
      reload,
    });
}

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
    const candidate = name.slice(0, MAX_NAME - suffix.length) + suffix;
    if (!used.has(candidate)) return candidate;
  }
}
