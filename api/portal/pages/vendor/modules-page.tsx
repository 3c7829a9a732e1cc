import { useModuleName } from '../parts/catalogue.ts';
import { Badge, ImportBadge, Time } from '../parts/facts.tsx';
import { ImportHistory } from '../parts/import-history.tsx';
import { ItemList } from '../parts/lists.tsx';
import { DownloadLink, PageHead, useOrganization } from '../parts/page.tsx';
import { Logo } from '../parts/vendor-content.tsx';
import type { Schemas } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { ImportPanel } from './import-panel.tsx';

/** My Modules: what the organization offers, and the import of another package. */
export function ModulesPage() {
  const { common, vendor } = useTexts();
  const { id, isAdmin } = useOrganization();
  const list = useList(`/${id}/modules`);
  return (
    <>
      <PageHead title={common.pages.modules} lead={vendor.modulesLead} />
      {isAdmin ? <ImportPanel onEnded={() => void list.reload()} /> : <p class="note">{common.readOnly}</p>}
      <ItemList of={list} empty={vendor.noModules} class="cards">
        {(each) => <ModuleCard key={each.id} module={each} />}
      </ItemList>
    </>
  );
}

/** All imports of an organization, also those that named no module of it. */
export function ImportsPage() {
  const { common, vendor } = useTexts();
  const list = useList(`/${useOrganization().id}/imports`);
  return (
    <>
      <PageHead title={common.pages.imports} lead={vendor.imports.leadAll} />
      <ImportHistory of={list} empty={vendor.imports.none} />
    </>
  );
}

function ModuleCard({ module }: { readonly module: Schemas['ModuleSummary'] }) {
  const { common, vendor } = useTexts();
  const organization = useOrganization();
  const name = useModuleName()(module.translations);
  const { id, scope, lastImport } = module;
  return (
    <li class="card">
      <div class="row card-head">
        <Logo name={name} logos={module.logos} />
        <div>
          <h2>
            <a href={`/portal/${organization.id}/modules/${id}`}>{name}</a>
          </h2>
          <p class="quiet">
            {common.version} {module.moduleVersion} · {common.revision} {module.revision}
            {scope !== null && ` · ${scope}`}
          </p>
        </div>
      </div>
      <div class="row card-foot">
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
        <ExportLink moduleId={id} name={name} />
      </div>
    </li>
  );
}

interface ExportLinkProps {
  readonly moduleId: string;
  /** The name of the module: links with the same name must lead to the same address. */
  readonly name: string;
}

/** Downloads a module as a package; for administrators. */
export function ExportLink({ moduleId, name }: ExportLinkProps) {
  const { vendor } = useTexts();
  const { id, isAdmin } = useOrganization();
  if (!isAdmin) return null;
  return (
    <DownloadLink
      text={vendor.exportZip}
      about={name}
      class="secondary outline small"
      address={`/${id}/ExportModuleAsync/${moduleId}`}
    />
  );
}
