import { useRef, useState } from 'preact/hooks';
import { Checkbox } from '../parts/fields.tsx';
import { IssueList } from '../parts/import-history.tsx';
import { Button, ProblemNote, useOrganization } from '../parts/page.tsx';
import type { ModuleImport } from '../server/call-api.ts';
import { hasEnded, type ImportState, type PackageUpload, useImport } from '../server/use-import.ts';
import { type Texts, useFormats, useTexts } from '../texts/language.ts';
import { previewAddress } from './preview-page.tsx';

interface ImportPanelProps {
  /** The module that packages update; without it the one that they name, or a new one. */
  readonly moduleId?: string;
  /** Called after every import, also one that changed nothing. */
  readonly onEnded: () => void;
}

/** Imports a package that is chosen or dropped, and shows the progress and the result. */
export function ImportPanel({ moduleId, onEnded }: ImportPanelProps) {
  const { vendor } = useTexts();
  const { id } = useOrganization();
  const { state, start, reset } = useImport(id, onEnded);
  // Kept for the next package: one that is imported instead may be released at once.
  const [validateOnly, setValidateOnly] = useState(false);
  const otherwise = otherUploadOf(state);
  const isBusy = state.at === 'sending' || (state.at === 'server' && !hasEnded(state.item));
  return (
    <section class="import" aria-label={vendor.import.choose}>
      {state.at === 'idle' ? (
        <DropZone
          onFile={(file) => void start({ file, moduleId: moduleId ?? null, validateOnly })}
          {...{ validateOnly, setValidateOnly }}
        />
      ) : (
        <>
          <ImportProgress state={state} />
          <div role="status">{!isBusy && <ImportOutcome state={state} />}</div>
          {!isBusy && otherwise !== null && (
            <Button
              text={otherwise.renameScope === true ? vendor.import.rename : vendor.import.updateOwn}
              class="small"
              onClick={() => start(otherwise)}
            />
          )}
          {!isBusy && <Button text={vendor.import.another} class="outline small" onClick={reset} />}
        </>
      )}
    </section>
  );
}

interface DropZoneProps {
  readonly onFile: (file: File) => void;
  readonly validateOnly: boolean;
  readonly setValidateOnly: (validateOnly: boolean) => void;
}

function DropZone({ onFile, validateOnly, setValidateOnly }: DropZoneProps) {
  const texts = useTexts().vendor.import;
  const [isOver, setOver] = useState(false);
  const [isWrong, setWrong] = useState(false);
  const take = (files: FileList | null | undefined) => {
    const file = files?.length === 1 ? files[0] : undefined;
    const isZip = file !== undefined && /\.zip$/i.test(file.name);
    setWrong(!isZip && files?.length !== 0);
    if (isZip) onFile(file);
  };
  return (
    <div
      class={`drop ${isOver ? 'drop-over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <p>{texts.drop}</p>
      <FileChoice label={texts.choose} onFiles={take} />
      <Checkbox checked={validateOnly} onChange={setValidateOnly}>
        {texts.onlyCheck}
      </Checkbox>
      <div role="alert">{isWrong && <p class="note bad">{texts.notZip}</p>}</div>
    </div>
  );
}

interface FileChoiceProps {
  readonly label: string;
  readonly onFiles: (files: FileList | null) => void;
}

/** The browser's own file field cannot be labelled or styled: a button opens it. */
function FileChoice({ label, onFiles }: FileChoiceProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button text={label} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        accept=".zip,application/zip"
        hidden
        aria-label={label}
        onChange={({ currentTarget }) => {
          onFiles(currentTarget.files);
          currentTarget.value = '';
        }}
      />
    </>
  );
}

const STEPS = ['queued', 'reading', 'checking', 'writing'] as const;

interface ImportProgressProps {
  readonly state: Exclude<ImportState, { at: 'idle' }>;
}

/** The progress of an import: the bytes of the upload, then the server's steps. */
function ImportProgress({ state }: ImportProgressProps) {
  const { vendor } = useTexts();
  const format = useFormats();
  const { file } = state;
  const isSent = state.at === 'server';
  const sentBytes = isSent ? file.size : state.at === 'sending' ? state.sentBytes : 0;
  const totalBytes = Math.max(1, file.size);
  // Rounded down: it says 100 % when everything is sent.
  const share = format.percent(Math.floor((sentBytes / totalBytes) * 100) / 100);
  const sent = vendor.import.sent(share, format.bytes(sentBytes), format.bytes(file.size));
  return (
    <div class="progress">
      <p>
        <strong>{file.name}</strong>
      </p>
      <label>
        <span>
          {vendor.import.uploading} <span class="quiet">{sent}</span>
        </span>
        <progress value={sentBytes} max={totalBytes} />
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
    <ol class="plain row steps">
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
function ImportOutcome({ state }: ImportProgressProps) {
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
        {isGood && !item.validateOnly && <StagedNote item={item} />}
      </div>
      <IssueList item={item} />
    </>
  );
}

/** Leads from a revision that nobody sees yet to what farmers will see. */
function StagedNote({ item: { moduleId, revision, outcome, released } }: { readonly item: ModuleImport }) {
  const { vendor, releases } = useTexts();
  const { id } = useOrganization();
  if (moduleId === null || revision === null || outcome === 'unchanged' || released !== false) return null;
  return (
    <p>
      {vendor.import.staged(revision)}{' '}
      <a href={previewAddress(id, moduleId, revision)}>{releases.viewAsFarmer}</a>
    </p>
  );
}

/** The upload that renames the module, or updates the own module whose scope a rejected package has; null: there is none. */
function otherUploadOf(state: ImportState): PackageUpload | null {
  if (state.at !== 'server' || state.item.status !== 'rejected') return null;
  const { upload, item } = state;
  if (item.errors.some(({ code }) => code === 'registry-scope-changed'))
    return { ...upload, renameScope: true };
  // The issue names the module as the descriptor would.
  const taken = item.errors.find(({ code }) => code === 'registry-scope-taken');
  const moduleId = /"moduleId": "(?<id>[0-9a-f-]{36})"/.exec(taken?.detail ?? '')?.groups?.['id'];
  return moduleId === undefined ? null : { ...upload, moduleId };
}

function outcomeText(item: ModuleImport, texts: Texts['vendor']['import']): string {
  const { status, outcome, validateOnly, errorsTotal } = item;
  if (status === 'succeeded') return validateOnly ? texts.wouldBe : texts[outcome ?? 'unchanged'];
  if (status === 'rejected') return texts.rejected(errorsTotal);
  return status === 'cancelled' ? texts.cancelled : texts.failed;
}
