import { ProblemNote } from '../parts/problem-note.tsx';
import type { ModuleImport } from '../server/answers.ts';
import { useTexts } from '../texts/language.ts';
import { ProblemList } from './problem-list.tsx';
import type { ImportState } from './use-import.ts';

interface ImportOutcomeProps {
  readonly state: ImportState;
  readonly organizationId: string;
}

/** What became of an import: what was made, or every problem. */
export function ImportOutcome({ state, organizationId }: ImportOutcomeProps) {
  const { vendor } = useTexts();
  if (state.at === 'refused') return <ProblemNote error={state.error} />;
  if (state.at !== 'server') return null;
  const { item } = state;
  const isGood = item.status === 'succeeded';
  return (
    <>
      <div class={`note ${isGood ? 'note-good' : 'note-error'}`}>
        <p>{useOutcomeText(item)}</p>
        {isGood && !item.validateOnly && item.moduleId !== null && (
          <p>
            <a href={`/portal/${organizationId}/modules/${item.moduleId}`}>{vendor.import.openModule}</a>
          </p>
        )}
      </div>
      <ProblemList item={item} />
    </>
  );
}

function useOutcomeText({ status, outcome, validateOnly, errorsTotal }: ModuleImport): string {
  const texts = useTexts().vendor.import;
  if (status === 'succeeded') return validateOnly ? texts.wouldBe : texts[outcome ?? 'unchanged'];
  if (status === 'rejected') return texts.rejected(errorsTotal);
  return status === 'cancelled' ? texts.cancelled : texts.failed;
}
