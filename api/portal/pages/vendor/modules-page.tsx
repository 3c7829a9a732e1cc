import { Badge, ImportBadge } from '../parts/badge.tsx';
import { useModuleName } from '../parts/catalogue.ts';
import { ItemList } from '../parts/item-list.tsx';
import { Logo } from '../parts/logo.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Time } from '../parts/time.tsx';
import type { ListedModule, Organization } from '../server/answers.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { ExportLink } from './export-link.tsx';
import { ImportPanel } from './import-panel.tsx';

/** My Modules: what the organization offers, and the import of another package. */
export function ModulesPage({ organization }: { readonly organization: Organization }) {
  const { common, vendor } = useTexts();
  const list = useList<ListedModule>(`/${organization.id}/modules`);
  return (
    <>
      <PageHead title={common.pages.modules} lead={vendor.modulesLead} />
      {organization.isAdmin ? (
        <ImportPanel organizationId={organization.id} onImported={() => void list.reload()} />
      ) : (
        <p class="note">{common.readOnly}</p>
      )}
      <ItemList of={list} empty={vendor.noModules} class="cards">
        {(each) => <ModuleCard key={each.id} module={each} organization={organization} />}
      </ItemList>
    </>
  );
}

interface ModuleCardProps {
  readonly module: ListedModule;
  readonly organization: Organization;
}

function ModuleCard({ module, organization }: ModuleCardProps) {
  const { vendor } = useTexts();
  const moduleName = useModuleName()(module.translations);
  const { lastImport } = module;
  return (
    <li class="card">
      <div class="card-head">
        <Logo name={moduleName} logos={module.logos} />
        <div>
          <h2>
            <a href={`/portal/${organization.id}/modules/${module.id}`}>{moduleName}</a>
          </h2>
          <p class="quiet">
            {vendor.version} {module.moduleVersion} · {vendor.revision} {module.revision}
            {module.scope !== null && <> · {module.scope}</>}
          </p>
        </div>
      </div>
      <div class="card-foot">
        <p class="quiet">
          {vendor.lastImport}{' '}
          {lastImport === null ? (
            <Badge tone="calm">–</Badge>
          ) : (
            <>
              <Time value={lastImport.createdAt} /> <ImportBadge status={lastImport.status} />
            </>
          )}
        </p>
        {organization.isAdmin && (
          <ExportLink organizationId={organization.id} moduleId={module.id} name={moduleName} />
        )}
      </div>
    </li>
  );
}
