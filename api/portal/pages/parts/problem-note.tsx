import { CallError } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

/** Why a call failed, announced at once; nothing if it did not. */
export function ProblemNote({ error }: { readonly error: unknown }) {
  const { common } = useTexts();
  if (error === null || error === undefined) return null;
  const known = error instanceof CallError && error.status !== 0 ? error : null;
  return (
    <div class="note bad" role="alert">
      <p>{known?.message ?? common.unreachable}</p>
      {known !== null && known.issues.length > 0 && (
        <ul>
          {known.issues.map(({ pointer, detail }) => (
            <li key={`${pointer ?? ''} ${detail}`}>
              {pointer !== undefined && <code>{pointer}</code>} {detail}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
