import { useOrganization } from '../organization.ts';
import { IssueList } from '../parts/import-history.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import type { ModuleImport } from '../server/api-types.ts';
import { hasEnded } from '../server/watch-import.ts';
import { useFormats } from '../texts/formats.ts';
import { useTexts } from '../texts/language.ts';
import type { ImportState, PackageUpload } from './use-import.ts';

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

interface UpdateOwnModuleProps extends ImportProgressProps {
  readonly onUpdate: (upload: PackageUpload) => void;
}

/** Offers to update the own module whose scope a rejected package has. */
export function UpdateOwnModule({ state, onUpdate }: UpdateOwnModuleProps) {
  const { vendor } = useTexts();
  if (state.at !== 'server' || state.item.status !== 'rejected') return null;
  const { file, item } = state;
  const moduleId = ownModuleOf(item);
  if (moduleId === null) return null;
  return (
    <button
      type="button"
      class="small"
      onClick={() => onUpdate({ file, moduleId, validateOnly: item.validateOnly })}
    >
      {vendor.import.updateOwn}
    </button>
  );
}

/** The own module that has the package's scope: the issue names it as the descriptor would. */
function ownModuleOf({ errors }: ModuleImport): string | null {
  const taken = errors.find(({ code }) => code === 'registry-scope-taken');
  return /"moduleId": "(?<id>[0-9a-f-]{36})"/.exec(taken?.detail ?? '')?.groups?.['id'] ?? null;
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
