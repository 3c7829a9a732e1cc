import { Loaded } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import type { FarmTree, Organization } from '../server/answers.ts';
import { useResource } from '../server/use-resource.ts';
import { formatNumber } from '../texts/formats.ts';
import { useLanguage, useTexts } from '../texts/language.ts';
import { FarmOutline } from './farm-outline.tsx';

const HECTARE_M2 = 10_000;

/** A farmer's farms, each with its outline, fields and stations. */
export function FarmsPage({ organization }: { readonly organization: Organization }) {
  const { common, farmer } = useTexts();
  const resource = useResource<{ readonly farms: readonly FarmTree[] }>(`/${organization.id}/structures`);
  return (
    <>
      <PageHead title={common.pages.farms} lead={farmer.farms.lead} />
      <Loaded of={resource}>
        {({ farms }) =>
          farms.length === 0 ? (
            <p class="empty">{farmer.farms.none}</p>
          ) : (
            <ul class="cards">
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

function FarmCard({ farm }: { readonly farm: FarmTree }) {
  const { farmer } = useTexts();
  const hectares = useHectares();
  const { fields, irrigationStations } = farm;
  return (
    <li class="card">
      <h2>{farm.name}</h2>
      <p class="quiet">
        {farmer.farms.fields(fields.length)} · {farmer.farms.stations(irrigationStations.length)}
        {farm.areaM2 !== null && <> · {hectares(farm.areaM2)}</>}
      </p>
      <FarmOutline farm={farm} />
      {fields.length > 0 && (
        <ul class="field-list">
          {fields.map(({ id, name, areaM2 }) => (
            <li key={id}>
              <span>{name}</span>
              {areaM2 !== null && <span class="quiet">{hectares(areaM2)}</span>}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function useHectares(): (areaM2: number) => string {
  const language = useLanguage();
  return (areaM2) => `${formatNumber(language, areaM2 / HECTARE_M2, 1)} ha`;
}
