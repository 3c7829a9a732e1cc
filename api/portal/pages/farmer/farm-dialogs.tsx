import { useDialogs } from '../parts/dialogs.tsx';
import { choiceField, type Field, MAX_NAME, textField } from '../parts/fields.tsx';
import { useOrganization } from '../parts/page.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';
import { type Area, GeoJsonField, joined } from './geojson-field.tsx';

type Farm = Schemas['Farm'];

/** An area as a field. */
interface FieldBoundary {
  readonly id: string;
  readonly name: string;
  readonly isNew: boolean;
  readonly boundary: Area['geometry'];
}

/** Returns functions that create a farm, and upload areas as the fields of a farm or as its boundary. */
export function useFarmDialogs(reload: () => Promise<void>) {
  const { common, farms: texts } = useTexts();
  const { id: organizationId } = useOrganization();
  const dialogs = useDialogs();
  const fieldsOf = useFieldBoundaries();
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
        areas: fileField({ label: texts.boundaryFile, hint: texts.boundaryFileHint }, (read) => read),
      },
      isReady: ({ name }) => name.trim() !== '',
      submit: ({ name, areas }) => {
        const boundary =
          areas.length === 0 ? {} : { boundary: joined(areas.map(({ geometry }) => geometry)) };
        return write({ id, name: name.trim(), ...boundary });
      },
      reload,
    });
  };
  const upload = (farm: Farm) =>
    dialogs.form({
      title: texts.uploadTitle(farm.name),
      action: common.save,
      fields: {
        fields: fileField({ label: texts.file, hint: texts.uploadHint, required: true }, (read) =>
          fieldsOf(farm, read),
        ),
        use: choiceField({ label: texts.use, options: texts.uses, value: 'fields' }),
      },
      below: ({ fields, use }) => <Areas fields={fields} isList={use === 'fields'} />,
      isReady: ({ fields }) => fields.length > 0,
      submit: ({ fields, use }) =>
        use === 'fields'
          ? write({ id: farm.id, fields: fields.map(({ id, name, boundary }) => ({ id, name, boundary })) })
          : write({ id: farm.id, boundary: joined(fields.map(({ boundary }) => boundary)) }),
      reload,
    });
  return { add, upload };
}

interface FileSpec {
  readonly label: string;
  readonly hint: string;
  readonly required?: boolean;
}

/** A field for a file with areas, and what becomes of them. */
function fileField<Item>(
  spec: FileSpec,
  itemsOf: (areas: readonly Area[]) => readonly Item[],
): Field<readonly Item[]> {
  return {
    initial: [],
    show: (_items, change) => <GeoJsonField {...spec} onChange={(areas) => change(itemsOf(areas))} />,
  };
}

function Areas({ fields, isList }: { readonly fields: readonly FieldBoundary[]; readonly isList: boolean }) {
  const texts = useTexts().farms;
  return (
    <>
      {fields.length > 0 && <p class="quiet">{texts.areas(fields.length)}</p>}
      {isList && (
        <ul class="plain field-list">
          {fields.map(({ id, name, isNew }) => (
            <li key={id} class="row apart">
              <span>{name}</span>
              <span class="quiet">{isNew ? texts.newField : texts.knownField}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Returns the fields that areas become: an area with the name of a field replaces its boundary. */
function useFieldBoundaries(): (farm: Farm, areas: readonly Area[]) => readonly FieldBoundary[] {
  const texts = useTexts().farms;
  return (farm, areas) => {
    const free = new Map(farm.fields.map(({ name, id }) => [name, id]));
    return areas.map(({ name: given, geometry: boundary }, index) => {
      const name = given ?? texts.fieldNumber(farm.fields.length + index + 1);
      const known = free.get(name);
      // If two areas have one name, the second is another field.
      free.delete(name);
      return { id: known ?? crypto.randomUUID(), name, isNew: known === undefined, boundary };
    });
  };
}
