import { useMemo } from 'preact/hooks';
import { useDialogs } from '../parts/dialogs.tsx';
import { Badge } from '../parts/facts.tsx';
import { Button, RowButton, useOrganization } from '../parts/page.tsx';
import { callApi, type Schemas } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { Outline } from './farm-outline.tsx';

type Farm = Schemas['Farm'];

interface FirstStepsProps {
  readonly farms: readonly Farm[];
  /** Opens the dialog that brings in fields. */
  readonly onFields: () => void;
}

/** What a new farmer does first, with what is done; nothing once all is. */
export function FirstSteps({ farms, onFields }: FirstStepsProps) {
  const { farms: texts } = useTexts();
  const { id } = useOrganization();
  const installed = useList(`/${id}/installations?limit=1`).value;
  const rules = useList(`/${id}/alertRules?limit=1`).value;
  if (installed === null || rules === null) return null;
  const steps = [
    { step: 'fields', page: null, isDone: farms.some(({ fields }) => fields.length > 0) },
    { step: 'module', page: 'market', isDone: installed.length > 0 },
    { step: 'rule', page: 'rules', isDone: rules.length > 0 },
  ] as const;
  if (steps.every(({ isDone }) => isDone)) return null;
  return (
    <section class="card" aria-label={texts.firstSteps}>
      <h2>{texts.firstSteps}</h2>
      <ol>
        {steps.map(({ step, page, isDone }) => (
          <li key={step}>
            {isDone && texts.steps[step]}
            {!isDone && page === null && <RowButton text={texts.steps[step]} onClick={onFields} />}
            {!isDone && page !== null && <a href={`/portal/${id}/${page}`}>{texts.steps[step]}</a>}{' '}
            {isDone && <Badge tone="good">{texts.stepDone}</Badge>}
          </li>
        ))}
      </ol>
    </section>
  );
}

interface NoFarmsProps {
  readonly reload: () => Promise<void>;
}

/** Says that there are no farms yet, and shows a sample farm that one can add. */
export function NoFarms({ reload }: NoFarmsProps) {
  const { farms: texts } = useTexts();
  const { id, isAdmin } = useOrganization();
  const dialogs = useDialogs(reload);
  const sample = useMemo(() => sampleFarm(texts.sampleName, texts.fieldNumber), [texts]);
  const shapes = sample.fields.map(({ boundary, ...each }) => ({
    ...each,
    kind: 'field' as const,
    geometry: boundary,
  }));
  const add = () =>
    dialogs.confirm({
      title: texts.sampleTitle,
      text: texts.sampleText,
      action: texts.sampleAdd,
      isHarmless: true,
      act: () => callApi('PUT', `/${id}/structures`, { farms: [sample] }),
    });
  return (
    <>
      <p class="empty">{texts.none}</p>
      {isAdmin && (
        <div class="cards">
          <div class="card">
            <p class="quiet">{texts.sampleLead}</p>
            <Outline label={texts.outline(sample.name)} shapes={shapes} />
            <div class="row card-foot">
              <Button text={texts.sampleTry} class="secondary outline" onClick={add} />
            </div>
          </div>
        </div>
      )}
    </>
  );
}

type Corner = [longitude: number, latitude: number];

/** Where they are does not matter: nobody farms the middle of this bay. */
const FIELDS: readonly Corner[][] = [
  [
    [8.4, 53.86],
    [8.411, 53.859],
    [8.4125, 53.865],
    [8.4015, 53.8655],
  ],
  [
    [8.413, 53.8588],
    [8.422, 53.8574],
    [8.4285, 53.865],
    [8.4145, 53.865],
  ],
  [
    [8.402, 53.867],
    [8.4265, 53.8663],
    [8.4185, 53.8733],
    [8.4025, 53.8708],
  ],
];

/** A farm to try the service with, as the API takes it: nothing but a name and fields. */
function sampleFarm(name: string, fieldName: (number: number) => string) {
  const fields = FIELDS.map((corners, index) => ({
    id: crypto.randomUUID(),
    name: fieldName(index + 1),
    boundary: { type: 'Polygon' as const, coordinates: [[...corners, ...corners.slice(0, 1)]] },
  }));
  return { id: crypto.randomUUID(), name, fields };
}
