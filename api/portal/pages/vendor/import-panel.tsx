import { useRef, useState } from 'preact/hooks';
import type { ModuleImport } from '../server/answers.ts';
import { hasEnded } from '../server/watch-import.ts';
import { useTexts } from '../texts/language.ts';
import { ImportOutcome } from './import-outcome.tsx';
import { ImportProgress } from './import-progress.tsx';
import { useImport } from './use-import.ts';

interface ImportPanelProps {
  readonly organizationId: string;
  readonly onImported: () => void;
}

/** Takes a package by button or by drag and drop, and tells what becomes of it. */
export function ImportPanel({ organizationId, onImported }: ImportPanelProps) {
  const { vendor } = useTexts();
  const { state, start, reset } = useImport(organizationId, ({ status, validateOnly }: ModuleImport) => {
    if (status === 'succeeded' && !validateOnly) onImported();
  });
  const isBusy = state.at === 'sending' || (state.at === 'server' && !hasEnded(state.item));
  return (
    <section class="import" aria-label={vendor.import.choose}>
      {state.at === 'idle' ? (
        <DropZone onFile={(file, validateOnly) => void start(file, validateOnly)} />
      ) : (
        <>
          <ImportProgress state={state} />
          <div role="status">
            {!isBusy && <ImportOutcome state={state} organizationId={organizationId} />}
          </div>
          {!isBusy && (
            <button type="button" class="outline small" onClick={reset}>
              {vendor.import.another}
            </button>
          )}
        </>
      )}
    </section>
  );
}

function DropZone({ onFile }: { readonly onFile: (file: File, validateOnly: boolean) => void }) {
  const { vendor } = useTexts();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [isOnlyCheck, setOnlyCheck] = useState(false);
  const [isWrong, setWrong] = useState(false);
  const take = (files: FileList | null | undefined) => {
    const file = files?.length === 1 ? files[0] : undefined;
    const isZip = file !== undefined && /\.zip$/i.test(file.name);
    setWrong(!isZip && files?.length !== 0);
    if (isZip) onFile(file, isOnlyCheck);
  };
  return (
    <div
      class={`drop ${isOver ? 'drop-over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => {
        setOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <p>{vendor.import.drop}</p>
      <FileChoice input={input} onFiles={take} />
      <label class="check">
        <input
          type="checkbox"
          checked={isOnlyCheck}
          onChange={({ currentTarget }) => {
            setOnlyCheck(currentTarget.checked);
          }}
        />
        {vendor.import.onlyCheck}
      </label>
      <p role="alert" class="refusal">
        {isWrong ? vendor.import.notZip : ''}
      </p>
    </div>
  );
}

interface FileChoiceProps {
  readonly input: { current: HTMLInputElement | null };
  readonly onFiles: (files: FileList | null) => void;
}

/** The browser's own file field cannot be worded or styled: a button opens it. */
function FileChoice({ input, onFiles }: FileChoiceProps) {
  const { vendor } = useTexts();
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        {vendor.import.choose}
      </button>
      <input
        ref={input}
        type="file"
        accept=".zip,application/zip"
        hidden
        aria-label={vendor.import.choose}
        onChange={({ currentTarget }) => {
          onFiles(currentTarget.files);
          currentTarget.value = '';
        }}
      />
    </>
  );
}
