import { useTexts } from '../texts/language.ts';

interface ExportLinkProps {
  readonly organizationId: string;
  readonly moduleId: string;
  /** Of the module: links that read alike must lead to the same place. */
  readonly name: string;
}

/** Downloads a module as a package. */
export function ExportLink({ organizationId, moduleId, name }: ExportLinkProps) {
  const { vendor } = useTexts();
  return (
    <a
      role="button"
      class="secondary outline small"
      href={`/portal/api/${organizationId}/ExportModuleAsync/${moduleId}`}
      aria-label={`${vendor.exportZip}: ${name}`}
      download
    >
      {vendor.exportZip}
    </a>
  );
}
