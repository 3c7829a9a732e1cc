import { Badge } from '../parts/badge.tsx';
import type { ModuleImport, Problem } from '../server/answers.ts';
import { useTexts } from '../texts/language.ts';

/** Every problem and warning of an import, by file, each with its place and a link to its explanation. */
export function ProblemList({
  item,
}: {
  readonly item: Pick<ModuleImport, 'errors' | 'warnings' | 'errorsTotal'>;
}) {
  const { vendor } = useTexts();
  const groups = byFile([...item.errors, ...item.warnings]);
  const untold = item.errorsTotal - item.errors.length;
  return (
    <div class="problems">
      {[...groups].map(([entry, problems]) => (
        <section key={entry}>
          <h2>{entry === '' ? vendor.problems.archive : <code>{entry}</code>}</h2>
          <ul>
            {problems.map((each, index) => (
              <ProblemItem key={index} problem={each} />
            ))}
          </ul>
        </section>
      ))}
      {untold > 0 && <p class="quiet">{vendor.problems.more(untold)}</p>}
    </div>
  );
}

/** Problems by the file that they are in, in their order; '' is the archive. */
function byFile(problems: readonly Problem[]): ReadonlyMap<string, readonly Problem[]> {
  const groups = new Map<string, Problem[]>();
  for (const each of problems) {
    const entry = each.entry ?? '';
    groups.set(entry, [...(groups.get(entry) ?? []), each]);
  }
  return groups;
}

function ProblemItem({ problem }: { readonly problem: Problem }) {
  const { vendor } = useTexts();
  const isWarning = problem.severity === 'warning';
  const places = usePlaces(problem);
  return (
    <li>
      <Badge tone={isWarning ? 'warn' : 'bad'}>
        {isWarning ? vendor.problems.warning : vendor.problems.error}
      </Badge>{' '}
      {problem.detail}
      <div class="place">
        {problem.pointer !== undefined && problem.pointer !== '' && <code>{problem.pointer}</code>}
        {places.length > 0 && <span>{places.join(' · ')}</span>}
        <a href={`/problems/${problem.code}`} target="_blank" rel="noreferrer">
          {problem.code}
        </a>
      </div>
    </li>
  );
}

function usePlaces({ line, column, offset }: Problem): readonly string[] {
  const { problems } = useTexts().vendor;
  return [
    ...(line === undefined ? [] : [problems.line(line, column ?? null)]),
    ...(offset === undefined ? [] : [problems.byte(offset)]),
  ];
}
