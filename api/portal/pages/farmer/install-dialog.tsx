import { useState } from 'preact/hooks';
import { useCatalogue } from '../parts/catalogue.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import type { AvailableModule } from '../server/answers.ts';
import { useTexts } from '../texts/language.ts';

interface InstallDialogProps {
  readonly module: AvailableModule;
  readonly name: string;
  /** What was accepted before; null: the module is not installed. */
  readonly accepted: readonly string[] | null;
  readonly onInstall: (acceptedDataAreaIds: readonly string[]) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks which data areas a module may read. */
export function InstallDialog({ module, name, accepted, onInstall, onClose }: InstallDialogProps) {
  const { farmer } = useTexts();
  const areas = useCatalogue('dataAreas');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(accepted ?? module.dataAreaIds));
  const toggle = (id: string) => {
    const changed = new Set(chosen);
    if (!changed.delete(id)) changed.add(id);
    setChosen(changed);
  };
  return (
    <FormDialog
      title={farmer.market.installTitle(name)}
      action={accepted === null ? farmer.market.install : farmer.market.save}
      onSubmit={() => onInstall(module.dataAreaIds.filter((id) => chosen.has(id)))}
      onClose={onClose}
    >
      <fieldset>
        <legend>{module.dataAreaIds.length === 0 ? farmer.market.nothing : farmer.market.installText}</legend>
        {module.dataAreaIds.map((id) => (
          <label key={id} class="check">
            <input
              type="checkbox"
              checked={chosen.has(id)}
              onChange={() => {
                toggle(id);
              }}
            />
            <span>
              {areas.get(id)?.value ?? id}
              <small>{areas.get(id)?.description}</small>
            </span>
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}
