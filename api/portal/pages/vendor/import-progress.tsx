import type { ModuleImport } from '../server/answers.ts';
import { hasEnded } from '../server/watch-import.ts';
import { formatBytes } from '../texts/formats.ts';
import { useLanguage, useTexts } from '../texts/language.ts';
import type { ImportState } from './use-import.ts';

const STEPS = ['queued', 'reading', 'checking', 'writing'] as const;

/** How far an import is: the bytes of the upload, then the server's steps. */
export function ImportProgress({ state }: { readonly state: Exclude<ImportState, { at: 'idle' }> }) {
  const { vendor } = useTexts();
  const language = useLanguage();
  const { file } = state;
  const isSent = state.at === 'server';
  const sentBytes = isSent ? file.size : state.at === 'sending' ? state.sentBytes : 0;
  const sent = vendor.import.sent(formatBytes(language, sentBytes), formatBytes(language, file.size));
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
