import { useDialogs } from '../parts/dialogs.tsx';
import { nameField } from '../parts/fields.tsx';
import { useOrganization } from '../parts/page.tsx';
import { callApi, readTagged, type Schemas } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';
import { asKnown } from './areas/area-results.tsx';
import { isDone } from './farm-dialogs.tsx';
import { shapesOf } from './farm-outline.tsx';

type Farm = Schemas['Farm'];
type FarmField = Schemas['Field'];
type Entered = Pick<FarmField, 'name' | 'boundary'>;

/**
 * Returns what renames and redraws a field, if the farms are those that the reader saw. If they are not, the reader
 * decides again, and keeps what was entered.
 */
export function useFieldDialog(reload: () => Promise<void>) {
  const { common, farms: texts } = useTexts();
  const { id: organizationId } = useOrganization();
  const dialogs = useDialogs(reload);
  const edit = async (farm: Farm, field: FarmField, seenTag: string, entered: Entered | null = null) => {
    const { boundaryField, surfaceIssue } = await import('./areas/edit-boundary.tsx');
    const around = shapesOf(farm).filter(({ id, kind }) => id !== field.id && kind !== 'block');
    const { name, boundary } = entered ?? field;
    dialogs.form<Entered>({
      title: texts.editTitle(field.name),
      ...(entered !== null && { text: <span class="note warn">{texts.changedMeanwhile}</span> }),
      action: common.save,
      fields: {
        name: nameField({ label: texts.fieldName, value: name, required: true }),
        boundary: boundaryField(boundary, around.map(asKnown)),
      },
      isReady: (next) =>
        next.name.trim() !== '' && (next.boundary === null || surfaceIssue(next.boundary) === null),
      submit: async (next) => {
        const path = `/${organizationId}/structures` as const;
        const changed = {
          id: field.id,
          name: next.name.trim(),
          ...(next.boundary && { boundary: next.boundary }),
        };
        const body = { farms: [{ id: farm.id, fields: [changed] }] };
        if (await isDone(callApi('PUT', path, body, seenTag))) return;
        const { value, tag } = await readTagged(path);
        const farmNow = value.farms.find(({ id }) => id === farm.id);
        const fieldNow = farmNow?.fields.find(({ id }) => id === field.id);
        if (farmNow !== undefined && fieldNow !== undefined) return edit(farmNow, fieldNow, tag, next);
        dialogs.note({ title: texts.editTitle(field.name), content: <p>{texts.fieldGone}</p> });
      },
    });
  };
  return edit;
}
