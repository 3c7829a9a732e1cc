import type { VNode } from 'preact';
import { useModuleName } from '../parts/catalogue.ts';
import { Loaded } from '../parts/loaded.tsx';
import { Logo } from '../parts/logo.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Tabs } from '../parts/tabs.tsx';
import type { ModuleRevision, Organization } from '../server/answers.ts';
import { useResource } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { DevResourcesTab } from './dev-resources-tab.tsx';
import { ExportLink } from './export-link.tsx';
import { ImportHistory } from './import-history.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { RevisionsTab } from './revisions-tab.tsx';
import { RolesTab } from './roles-tab.tsx';
import { RulesPreviewTab } from './rules-preview-tab.tsx';

interface ModulePageProps {
  readonly organization: Organization;
  readonly moduleId: string;
  readonly tab: string;
}

const TABS = ['overview', 'revisions', 'imports', 'dev', 'rules', 'roles'] as const;

/** One module of a vendor: what it is, how it came to be, and the keys of its back end. */
export function ModulePage({ organization, moduleId, tab }: ModulePageProps) {
  const { vendor } = useTexts();
  const resource = useResource<ModuleRevision>(`/${organization.id}/modules/${moduleId}`);
  const nameOf = useModuleName();
  const base = `/portal/${organization.id}/modules/${moduleId}`;
  return (
    <Loaded of={resource}>
      {(module) => {
        const name = nameOf(module.descriptor.translations);
        const logos = module.files.filter(({ path }) => path.startsWith('ModuleLogo/'));
        return (
          <>
            <div class="titled">
              <Logo name={name} logos={logos} />
              <PageHead
                title={name}
                tab={vendor.tabs[TABS.find((key) => key === tab) ?? 'overview']}
                lead={`${vendor.version} ${module.moduleVersion} · ${vendor.revision} ${module.revision}`}
              >
                {organization.isAdmin && (
                  <ExportLink organizationId={organization.id} moduleId={moduleId} name={name} />
                )}
              </PageHead>
            </div>
            <Tabs
              label={name}
              tabs={TABS.map((key) => ({
                href: key === 'overview' ? base : `${base}/${key}`,
                name: vendor.tabs[key],
              }))}
              current={tab === 'overview' ? base : `${base}/${tab}`}
            />
            <TabContent organization={organization} module={module} tab={tab} />
          </>
        );
      }}
    </Loaded>
  );
}

interface TabContentProps {
  readonly organization: Organization;
  readonly module: ModuleRevision;
  readonly tab: string;
}

function TabContent({ organization, module, tab }: TabContentProps): VNode {
  const { vendor } = useTexts();
  const api = `/${organization.id}`;
  switch (tab) {
    case 'revisions':
      return <RevisionsTab api={`${api}/modules/${module.id}`} />;
    case 'imports':
      return (
        <>
          <p class="lead">
            {vendor.imports.lead} <a href={`/portal/${organization.id}/imports`}>{vendor.imports.all}</a>
          </p>
          <ImportHistory path={`${api}/imports?moduleId=${module.id}`} />
        </>
      );
    case 'dev':
      return <DevResourcesTab organization={organization} moduleId={module.id} />;
    case 'rules':
      return <RulesPreviewTab rules={module.alertRules} />;
    case 'roles':
      return <RolesTab roles={module.roles} />;
    default:
      return <OverviewTab module={module} />;
  }
}
