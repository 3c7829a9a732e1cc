import { useOrganization } from '../organization.ts';
import { IssueList } from '../parts/import-history.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import type { ModuleImport } from '../server/api-types.ts';
import { hasEnded } from '../server/watch-import.ts';
import { useFormats } from '../texts/formats.ts';
import { useTexts } from '../texts/language.ts';
import type { ImportState } from './use-import.ts';

const STEPS = ['queued', 'reading', 'checking', 'writing'] as const;

interface ImportProgressProps {
  readonly state: Exclude<ImportState, { at: 'idle' }>;
}

/** The progress of an import: the bytes of the upload, then the server's steps. */
export function ImportProgress({ state }: ImportProgressProps) {
  const { vendor } = useTexts();
  const format = useFormats();
  const { file } = state;
  const isSent = state.at === 'server';
  const sentBytes = isSent ? file.size : state.at === 'sending' ? state.sentBytes : 0;
  const sent = vendor.import.sent(format.bytes(sentBytes), format.bytes(file.size));
  return (
    <div class="progress">
      <p>
        <strong>{file.name}</strong>
      </p>
      <label>
        <span>
          {vendor.import.uploading} <span class="quiet">{sent}</span>
        </span>
        <progress value={sentBytes} max={Math.max(1, file.size)} />
      </label>
      {isSent && <Steps item={state.item} />}
    </div>
  );
}

function Steps({ item }: { readonly item: ModuleImport }) {
  const { vendor } = useTexts();
  const { step, completed, total } = item.progress;
  const isDone = item.status === 'succeeded';
  const at = STEPS.indexOf(step);
  return (
    <ol class="steps">
      {STEPS.map((each, index) => {
        const isCurrent = index === at && !isDone;
        const state =
          isDone || index < at ? 'done' : isCurrent ? (hasEnded(item) ? 'stopped' : 'now') : 'open';
        return (
          <li key={each} class={`step step-${state}`} aria-current={isCurrent ? 'step' : undefined}>
            {vendor.import.steps[each]}
            {isCurrent && total > 0 && <span class="quiet"> {vendor.import.counted(completed, total)}</span>}
          </li>
        );
      })}
    </ol>
  );
}

/** The result of an import: what became of the module, or every issue. */
export function ImportOutcome({ state }: ImportProgressProps) {
  const { vendor } = useTexts();
  const { id } = useOrganization();
  if (state.at === 'refused') return <ProblemNote error={state.error} />;
  if (state.at !== 'server') return null;
  const { item } = state;
  const isGood = item.status === 'succeeded';
  return (
    <>
      <div class={`note ${isGood ? 'good' : 'bad'}`}>
        <p>{outcomeText(item, vendor.import)}</p>
        {isGood && !item.validateOnly && item.moduleId !== null && (
          <p>
            <a href={`/portal/${id}/modules/${item.moduleId}`}>{vendor.import.openModule}</a>
          </p>
        )}
      </div>
      <IssueList item={item} />
    </>
  );
}

type ImportTexts = ReturnType<typeof useTexts>['vendor']['import'];

function outcomeText(
  { status, outcome, validateOnly, errorsTotal }: ModuleImport,
  texts: ImportTexts,
): string {
  if (status === 'succeeded') return validateOnly ? texts.wouldBe : texts[outcome ?? 'unchanged'];
  if (status === 'rejected') return texts.rejected(errorsTotal);
  return status === 'cancelled' ? texts.cancelled : texts.failed;
}
