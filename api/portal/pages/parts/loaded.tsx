import type { ComponentChildren } from 'preact';
import type { Resource, ResourceList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { ProblemNote } from './problem-note.tsx';
import { useAction } from './use-action.ts';

interface LoadedProps<Body> {
  readonly of: Resource<Body>;
  readonly children: (value: Body) => ComponentChildren;
}

/** What was read, or that it is being read, or why it could not be. */
export function Loaded<Body>({ of, children }: LoadedProps<Body>) {
  const { common } = useTexts();
  const { isBusy, run } = useAction(() => of.reload());
  if (of.value !== null) return <>{children(of.value)}</>;
  if (of.error === null) return <p aria-busy="true">{common.loading}</p>;
  return (
    <>
      <ProblemNote error={of.error} />
      <button type="button" class="outline" aria-busy={isBusy} onClick={() => void run()}>
        {common.tryAgain}
      </button>
    </>
  );
}

/** Below a list: the way to its next page, where there is one. */
export function More({ of }: { readonly of: ResourceList<unknown> }) {
  const { common } = useTexts();
  const { isBusy, run } = useAction(async () => of.readMore?.());
  return (
    <>
      {of.value !== null && <ProblemNote error={of.error} />}
      {of.readMore !== null && (
        <button type="button" class="secondary outline" aria-busy={isBusy} onClick={() => void run()}>
          {common.more}
        </button>
      )}
    </>
  );
}
