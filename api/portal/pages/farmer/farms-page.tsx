import { useOrganization } from '../organization.ts';
import { Loaded } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import type { Schemas } from '../server/api-types.ts';
import { useResource } from '../server/use-resource.ts';
import { useFormats } from '../texts/formats.ts';
import { useTexts } from '../texts/language.ts';
import { FarmOutline } from './farm-outline.tsx';

/** A farmer's farms, each with its outline, fields and stations. */
export function FarmsPage() {
  const { common, farmer } = useTexts();
  const resource = useResource(`/${useOrganization().id}/structures`);
  return (
    <>
      <PageHead title={common.pages.farms} lead={farmer.farms.lead} />
      <Loaded of={resource}>
        {({ farms }) =>
          farms.length === 0 ? (
            <p class="empty">{farmer.farms.none}</p>
          ) : (
            <ul class="plain cards">
              {farms.map((farm) => (
                <FarmCard key={farm.id} farm={farm} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}

function FarmCard({ farm }: { readonly farm: Schemas['Farm'] }) {
  const { farmer } = useTexts();
  const format = useFormats();
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
    </li>
  );
}
