import { Loaded } from '../parts/lists.tsx';
import { Button, DownloadLink, PageHead, RowButton, Section, useOrganization } from '../parts/page.tsx';
import { readTagged, type Schemas } from '../server/call-api.ts';
import { useRead } from '../server/use-resource.ts';
import { useFormats, useTexts } from '../texts/language.ts';
import { DataReads } from './data-reads.tsx';
import { useErase, useFarmDialogs } from './farm-dialogs.tsx';
import { FarmOutline } from './farm-outline.tsx';
import { useFieldDialog } from './field-dialog.tsx';
import { FirstSteps, NoFarms } from './first-steps.tsx';
import { RuleStates } from './rule-state.tsx';

type Farm = Schemas['Farm'];

/** A farmer's farms, each with its outline, fields and stations. */
export function FarmsPage() {
  const { common, farms: texts } = useTexts();
  const { id, isAdmin } = useOrganization();
  const path = `/${id}/structures` as const;
  // With the tag: who erases or redraws does it to what the page shows.
  const resource = useRead(path, () => readTagged(path));
  const read = resource.value;
  const dialogs = useFarmDialogs(resource.reload);
  const erase = useErase(resource.reload);
  const edit = useFieldDialog(resource.reload);
  return (
    <>
      <PageHead title={common.pages.farms} lead={texts.lead}>
        <DownloadLink text={texts.downloadAll} class="secondary outline" address={`/${id}/export`} />
        {isAdmin && <Button text={texts.add} onClick={dialogs.add} />}
      </PageHead>
      <Loaded of={resource}>
        {({ value: { farms }, tag }) => (
          <div class="stack">
            {isAdmin && <FirstSteps farms={farms} onFields={() => dialogs.bringIn(farms)} />}
            {farms.length === 0 && <NoFarms reload={resource.reload} />}
            <ul class="plain cards">
              {farms.map((farm) => (
                <FarmCard
                  key={farm.id}
                  farm={farm}
                  onUpload={() => dialogs.upload(farm)}
                  onEdit={(field) => edit(farm, field, tag)}
                />
              ))}
            </ul>
          </div>
        )}
      </Loaded>
      <RuleStates />
      <DataReads />
      {isAdmin && read !== null && read.value.farms.length > 0 && (
        <Section title={texts.erase} lead={texts.eraseLead}>
          <Button text={texts.erase} class="secondary outline" onClick={() => erase(read.tag)} />
        </Section>
      )}
    </>
  );
}

interface FarmCardProps {
  readonly farm: Farm;
  readonly onUpload: () => void;
  readonly onEdit: (field: Farm['fields'][number]) => unknown;
}

function FarmCard({ farm, onUpload, onEdit }: FarmCardProps) {
  const { common, farms: texts } = useTexts();
  const format = useFormats();
  const { isAdmin } = useOrganization();
  const { fields, irrigationStations } = farm;
  return (
    <li class="card">
      <h2>{farm.name}</h2>
      <p class="quiet">
        {texts.fields(fields.length)} · {texts.stations(irrigationStations.length)}
        {farm.areaM2 !== null && <> · {format.hectares(farm.areaM2)}</>}
      </p>
      <FarmOutline farm={farm} />
      {fields.length > 0 && (
        <ul class="plain field-list">
          {fields.map((field) => (
            <li key={field.id} class="row apart">
              <span>{field.name}</span>
              <span class="row">
                {field.areaM2 !== null && <span class="quiet">{format.hectares(field.areaM2)}</span>}
                {isAdmin && <RowButton text={common.edit} about={field.name} onClick={() => onEdit(field)} />}
              </span>
            </li>
          ))}
        </ul>
      )}
      {isAdmin && (
        <div class="row card-foot">
          <RowButton text={texts.upload} about={farm.name} onClick={onUpload} />
        </div>
      )}
    </li>
  );
}
