import { CallError } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

/** What went wrong with a call, told to the reader at once; nothing where nothing did. */
export function ProblemNote({ error }: { readonly error: unknown }) {
  const { common } = useTexts();
  if (error === null || error === undefined) return null;
  const text = error instanceof CallError && error.status !== 0 ? error.message : common.unreachable;
  const problems = error instanceof CallError ? error.problems : [];
  return (
    <div class="note note-error" role="alert">
      <p>{text}</p>
      {problems.length > 0 && (
        <ul>
          {problems.map(({ pointer, detail }) => (
            <li key={`${pointer ?? ''} ${detail}`}>
              {pointer !== undefined && <code>{pointer}</code>} {detail}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
