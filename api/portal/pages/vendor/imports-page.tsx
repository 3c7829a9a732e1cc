import { PageHead } from '../parts/page-head.tsx';
import type { Organization } from '../server/answers.ts';
import { useTexts } from '../texts/language.ts';
import { ImportHistory } from './import-history.tsx';

/** All imports of an organization, also those that named no module of it. */
export function ImportsPage({ organization }: { readonly organization: Organization }) {
  const { common, vendor } = useTexts();
  return (
    <>
      <PageHead title={common.pages.imports} lead={vendor.imports.leadAll} />
      <ImportHistory path={`/${organization.id}/imports`} />
    </>
  );
}
