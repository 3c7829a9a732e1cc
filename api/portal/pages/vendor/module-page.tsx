import type { FunctionComponent } from 'preact';
import { useState } from 'preact/hooks';
import type { PageParameters } from '../navigation.ts';
import { useModuleName } from '../parts/catalogue.ts';
import { ImportHistory } from '../parts/import-history.tsx';
import { Loaded } from '../parts/lists.tsx';
import { PageHead, useOrganization } from '../parts/page.tsx';
import { Logo } from '../parts/vendor-content.tsx';
import type { Schemas } from '../server/call-api.ts';
import { type Resource, useList, useResource } from '../server/use-resource.ts';
import { type Texts, useTexts } from '../texts/language.ts';
import { AppRegistrations } from './app-registrations.tsx';
import { RolesTab, RulesPreviewTab } from './definition-tabs.tsx';
import { ImportPanel } from './import-panel.tsx';
import { KeyRequests } from './key-requests.tsx';
import { ExportLink } from './modules-page.tsx';
import { ModuleReviews } from './module-reviews.tsx';
import { ModuleStatus } from './module-status.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { PreviewPage } from './preview-page.tsx';
import { ReleasesTab } from './releases-tab.tsx';
import { RevisionsTab } from './revisions-tab.tsx';
import { StatisticsTab } from './statistics-tab.tsx';
import { TrustedPublishers } from './trusted-publishers.tsx';
import { Webhooks } from './webhooks.tsx';

interface TabProps {
  readonly module: Schemas['Module'];
  readonly releases: Resource<Schemas['ModuleReleases']>;
  /** How many imports have ended on the page. */
  readonly imports: number;
  readonly reload: () => Promise<void>;
}

const TABS = {
  overview: ({ module, releases }) => (
    <>
      <ModuleStatus module={module} releases={releases} />
      <ModuleReviews moduleId={module.id} />
      <OverviewTab module={module} />
    </>
  ),
  statistics: ({ module: { id } }) => <StatisticsTab moduleId={id} />,
  releases: ({ module: { newestRevision }, releases, reload }) => (
    <Loaded of={releases}>
      {(value) => <ReleasesTab key={newestRevision} releases={value} onChanged={reload} />}
    </Loaded>
  ),
  revisions: ({ module: { id, currentRevision, newestRevision } }) => (
    <RevisionsTab key={newestRevision} moduleId={id} current={currentRevision} />
  ),
  imports: ({ module: { id }, imports }) => <ModuleImports key={imports} moduleId={id} />,
  dev: ({ module: { id } }) => (
    <>
      <AppRegistrations moduleId={id} />
      <KeyRequests moduleId={id} />
      <Webhooks moduleId={id} />
      <TrustedPublishers moduleId={id} />
    </>
  ),
  rules: ({ module: { alertRules } }) => <RulesPreviewTab rules={alertRules} />,
  roles: ({ module: { roles } }) => <RolesTab roles={roles} />,
} satisfies Readonly<Record<keyof Texts['vendor']['tabs'], FunctionComponent<TabProps>>>;

function isTab(key: string): key is keyof typeof TABS {
  return Object.hasOwn(TABS, key);
}

/** One module of a vendor, or the page that farmers will see of it. */
export function ModulePage({ moduleId, tab }: PageParameters) {
  return tab === 'preview' ? <PreviewPage moduleId={moduleId} /> : <OwnModule {...{ moduleId, tab }} />;
}

/** Its contents, its history and the keys of its back end. */
function OwnModule({ moduleId, tab: key }: PageParameters) {
  const { common, vendor } = useTexts();
  const { id } = useOrganization();
  const resource = useResource(`/${id}/modules/${moduleId}`);
  const releases = useResource(`/${id}/modules/${moduleId}/releases`);
  const [imports, setImports] = useState(0);
  const nameOf = useModuleName();
  const tab = isTab(key) ? key : 'overview';
  const Tab = TABS[tab];
  return (
    <Loaded of={resource}>
      {(module) => {
        const { moduleVersion, revision, files, descriptor } = module;
        const reload = async () => {
          await Promise.all([resource.reload(), releases.reload()]);
        };
        const showImport = () => {
          setImports((before) => before + 1);
          void reload();
        };
        const name = nameOf(descriptor.translations);
        return (
          <>
            <div class="row titled">
              <Logo name={name} logos={files.filter(({ path }) => path.startsWith('ModuleLogo/'))} />
              <PageHead
                title={name}
                tab={vendor.tabs[tab]}
                lead={`${common.version} ${moduleVersion} · ${common.revision} ${revision}`}
              >
                <ExportLink moduleId={moduleId} name={name} />
              </PageHead>
            </div>
            {releases.value !== null && <ModuleNotices {...releases.value} />}
            <UpdatePanel moduleId={moduleId} onEnded={showImport} />
            <Tabs label={name} base={`/portal/${id}/modules/${moduleId}`} current={tab} />
            <Tab key={tab} {...{ module, releases, imports, reload }} />
          </>
        );
      }}
    </Loaded>
  );
}

/** Imports the module's next version, whatever ID the package has; for administrators. */
function UpdatePanel(props: { readonly moduleId: string; readonly onEnded: () => void }) {
  const { vendor } = useTexts();
  const { isAdmin } = useOrganization();
  if (!isAdmin) return null;
  return (
    <details>
      <summary>{vendor.import.update}</summary>
      <p class="quiet">{vendor.import.updateLead}</p>
      <ImportPanel {...props} />
    </details>
  );
}

interface TabsProps {
  readonly label: string;
  readonly base: string;
  readonly current: string;
}

/** Each tab has its own address, so Back returns to the tab before. */
function Tabs({ label, base, current }: TabsProps) {
  const { vendor } = useTexts();
  return (
    <nav class="row tabs" aria-label={label}>
      {Object.keys(TABS)
        .filter(isTab)
        .map((key) => (
          <a
            key={key}
            href={key === 'overview' ? base : `${base}/${key}`}
            aria-current={key === current ? 'page' : undefined}
          >
            {vendor.tabs[key]}
          </a>
        ))}
    </nav>
  );
}

function ModuleImports({ moduleId }: { readonly moduleId: string }) {
  const texts = useTexts().vendor.imports;
  const { id } = useOrganization();
  const list = useList(`/${id}/imports?moduleId=${moduleId}`);
  return (
    <>
      <p class="lead">
        {texts.lead} <a href={`/portal/${id}/imports`}>{texts.all}</a>
      </p>
      <ImportHistory of={list} empty={texts.none} />
    </>
  );
}

type Notices = Pick<Schemas['ModuleReleases'], 'withdrawal' | 'deprecation' | 'quarantine'>;

/** The notices that farmers read about the module, and the reason of a quarantine. */
function ModuleNotices({ withdrawal, deprecation, quarantine }: Notices) {
  const texts = useTexts().releases;
  return (
    <>
      {quarantine !== null && <p class="note bad">{texts.quarantined(quarantine.reason)}</p>}
      {withdrawal !== null && <p class="note warn">{texts.withdrawn(withdrawal.reason)}</p>}
      {deprecation !== null && <p class="note warn">{texts.deprecated(deprecation.message)}</p>}
    </>
  );
}
