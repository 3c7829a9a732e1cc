import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { Select, TextField } from '../parts/fields.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import type { Schemas } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';
import { GeoJsonField } from './geojson-field.tsx';
import { joined, type Area } from './read-geojson.ts';

type Farm = Schemas['Farm'];

interface FarmDialogProps {
  readonly onSaved: () => Promise<void>;
  readonly onClose: () => void;
}

/** Creates a farm, with its boundary if there is a file. */
export function AddFarmDialog({ onSaved, onClose }: FarmDialogProps) {
  const texts = useTexts().farmer.farms;
  const { id: organizationId } = useOrganization();
  // One ID for all attempts: after a lost answer, the next one does not create a second farm.
  const [id] = useState(() => crypto.randomUUID());
  const [name, setName] = useState('');
  const [areas, setAreas] = useState<readonly Area[]>([]);
  const save = async () => {
    const boundary = areas.length === 0 ? {} : { boundary: joined(areas) };
    const farms = [{ id, name: name.trim(), ...boundary }];
    await callApi('PUT', `/${organizationId}/structures`, { farms });
    await onSaved();
    onClose();
  };
  return (
    <FormDialog
      title={texts.addTitle}
      action={texts.save}
      isReady={name.trim() !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField label={texts.farmName} type="text" value={name} onInput={setName} maxLength={200} required />
      <GeoJsonField label={texts.boundaryFile} hint={texts.boundaryFileHint} onChange={setAreas} />
    </FormDialog>
  );
}

interface UploadBoundariesProps extends FarmDialogProps {
  readonly farm: Farm;
}

/** Uploads areas as the fields of a farm, or as its boundary. */
export function UploadBoundariesDialog({ farm, onSaved, onClose }: UploadBoundariesProps) {
  const texts = useTexts().farmer.farms;
  const { id: organizationId } = useOrganization();
  const [use, setUse] = useState('fields');
  const [areas, setAreas] = useState<readonly Area[]>([]);
  const [fields, setFields] = useState<readonly FieldBoundary[]>([]);
  const fieldsOf = useFieldBoundaries(farm);
  const save = async () => {
    const written = fields.map(({ id, name, boundary }) => ({ id, name, boundary }));
    const change = use === 'fields' ? { fields: written } : { boundary: joined(areas) };
    await callApi('PUT', `/${organizationId}/structures`, { farms: [{ id: farm.id, ...change }] });
    await onSaved();
    onClose();
  };
  return (
    <FormDialog
      title={texts.uploadTitle(farm.name)}
      action={texts.save}
      isReady={areas.length > 0}
      onSubmit={save}
      onClose={onClose}
    >
      <GeoJsonField
        label={texts.file}
        hint={texts.uploadHint}
        required
        onChange={(read) => {
          setAreas(read);
          setFields(fieldsOf(read));
        }}
      />
      <Select
        label={texts.use}
        options={[
          ['fields', texts.asFields],
          ['boundary', texts.asBoundary],
        ]}
        value={use}
        onChange={setUse}
      />
      {areas.length > 0 && <p class="quiet">{texts.areas(areas.length)}</p>}
      {use === 'fields' && <FieldList of={fields} />}
    </FormDialog>
  );
}

function FieldList({ of }: { readonly of: readonly FieldBoundary[] }) {
  const texts = useTexts().farmer.farms;
  return (
    <ul class="plain field-list">
      {of.map(({ id, name, isNew }) => (
        <li key={id}>
          <span>{name}</span>
          <span class="quiet">{isNew ? texts.newField : texts.knownField}</span>
        </li>
      ))}
    </ul>
  );
}

/** An area as a field. */
interface FieldBoundary {
  readonly id: string;
  readonly name: string;
  readonly isNew: boolean;
  readonly boundary: Area['geometry'];
}

/** Returns the fields that areas become: an area with the name of a field replaces its boundary. */
function useFieldBoundaries(farm: Farm): (areas: readonly Area[]) => readonly FieldBoundary[] {
  const texts = useTexts().farmer.farms;
  return (areas) => {
    const free = new Map(farm.fields.map(({ name, id }) => [name, id]));
    return areas.map(({ name: given, geometry: boundary }, index) => {
      const name = given ?? texts.fieldNumber(farm.fields.length + index + 1);
      const known = free.get(name);
      // Of two areas with one name, the second is another field.
      free.delete(name);
      return { id: known ?? crypto.randomUUID(), name, isNew: known === undefined, boundary };
    });
  };
}
