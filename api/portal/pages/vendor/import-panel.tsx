import { useRef, useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { Checkbox } from '../parts/fields.tsx';
import { hasEnded } from '../server/watch-import.ts';
import { useTexts } from '../texts/language.ts';
import { ImportOutcome, ImportProgress, UpdateOwnModule } from './import-progress.tsx';
import { useImport } from './use-import.ts';

interface ImportPanelProps {
  /** The module that packages update; without it the one that they name, or a new one. */
  readonly moduleId?: string;
  readonly onImported: () => void;
}

/** Imports a package that is chosen or dropped, and shows the progress and the result. */
export function ImportPanel({ moduleId, onImported }: ImportPanelProps) {
  const { vendor } = useTexts();
  const { id } = useOrganization();
  const { state, start, reset } = useImport(id, ({ status, validateOnly }) => {
    if (status === 'succeeded' && !validateOnly) onImported();
  });
  const isBusy = state.at === 'sending' || (state.at === 'server' && !hasEnded(state.item));
  return (
    <section class="import" aria-label={vendor.import.choose}>
      {state.at === 'idle' ? (
        <DropZone
          onFile={(file, validateOnly) => void start({ file, moduleId: moduleId ?? null, validateOnly })}
        />
      ) : (
        <>
          <ImportProgress state={state} />
          <div role="status">{!isBusy && <ImportOutcome state={state} />}</div>
          {!isBusy && <UpdateOwnModule state={state} onUpdate={(upload) => void start(upload)} />}
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
  const texts = useTexts().vendor.import;
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
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <p>{texts.drop}</p>
      <FileChoice label={texts.choose} onFiles={take} />
      <Checkbox checked={isOnlyCheck} onChange={setOnlyCheck}>
        {texts.onlyCheck}
      </Checkbox>
      <p role="alert" class="refusal">
        {isWrong && texts.notZip}
      </p>
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
      <button type="button" onClick={() => input.current?.click()}>
        {label}
      </button>
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
