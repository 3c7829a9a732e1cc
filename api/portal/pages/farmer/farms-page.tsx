import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { Loaded } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import type { Schemas } from '../server/api-types.ts';
import { useResource } from '../server/use-resource.ts';
import { useFormats } from '../texts/formats.ts';
import { useTexts } from '../texts/language.ts';
import { AddFarmDialog, UploadBoundariesDialog } from './farm-dialogs.tsx';
import { FarmOutline } from './farm-outline.tsx';

type Farm = Schemas['Farm'];

/** A farmer's farms, each with its outline, fields and stations. */
export function FarmsPage() {
  const { common, farmer } = useTexts();
  const { id, isAdmin } = useOrganization();
  const resource = useResource(`/${id}/structures`);
  /** Null: no dialog; without a farm: that of a new one. */
  const [edited, setEdited] = useState<{ readonly farm: Farm | null } | null>(null);
  const dialog = {
    onSaved: resource.reload,
    onClose: () => setEdited(null),
  };
  return (
    <>
      <PageHead title={common.pages.farms} lead={farmer.farms.lead}>
        {isAdmin && (
          <button type="button" onClick={() => setEdited({ farm: null })}>
            {farmer.farms.add}
          </button>
        )}
      </PageHead>
      <Loaded of={resource}>
        {({ farms }) =>
          farms.length === 0 ? (
            <p class="empty">{farmer.farms.none}</p>
          ) : (
            <ul class="plain cards">
              {farms.map((farm) => (
                <FarmCard key={farm.id} farm={farm} onUpload={() => setEdited({ farm })} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {edited?.farm === null && <AddFarmDialog {...dialog} />}
      {edited?.farm && <UploadBoundariesDialog farm={edited.farm} {...dialog} />}
    </>
  );
}

interface FarmCardProps {
  readonly farm: Farm;
  readonly onUpload: () => void;
}

function FarmCard({ farm, onUpload }: FarmCardProps) {
  const { farmer } = useTexts();
  const format = useFormats();
  const { isAdmin } = useOrganization();
  const { fields, irrigationStations } = farm;
  return (
    <li class="card">
      <h2>{farm.name}</h2>
      <p class="quiet">
        {farmer.farms.fields(fields.length)} · {farmer.farms.stations(irrigationStations.length)}
        {farm.areaM2 !== null && <> · {format.hectares(farm.areaM2)}</>}
      </p>
      <FarmOutline farm={farm} />
      {fields.length > 0 && (
        <ul class="plain field-list">
          {fields.map(({ id, name, areaM2 }) => (
            <li key={id}>
              <span>{name}</span>
              {areaM2 !== null && <span class="quiet">{format.hectares(areaM2)}</span>}
            </li>
          ))}
        </ul>
      )}
      {isAdmin && (
        <div class="card-foot">
          <button
            type="button"
            class="secondary outline small"
            aria-label={farmer.farms.uploadTitle(farm.name)}
            onClick={onUpload}
          >
            {farmer.farms.upload}
          </button>
        </div>
      )}
    </li>
  );
}
