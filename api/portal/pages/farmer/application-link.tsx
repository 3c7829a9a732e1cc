import type { Schemas } from '../server/api-types.ts';
import { useTexts } from '../texts/language.ts';

interface ApplicationLinkProps {
  /** Null: not installed. */
  readonly installation: Schemas['Installation'] | null;
  /** Of the module. */
  readonly name: string;
}

/** Opens the application of an installed module, if it has a page of its own. */
export function ApplicationLink({ installation, name }: ApplicationLinkProps) {
  const { application } = useTexts();
  const page = installation?.app?.pageUrl ?? null;
  if (installation === null || page === null) return null;
  const { organizationId, moduleId } = installation;
  return (
    <a href={`/portal/${organizationId}/apps/${moduleId}`} aria-label={`${application.open}: ${name}`}>
      {application.open}
    </a>
  );
}
