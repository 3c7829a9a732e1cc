import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { AlertsPage } from './farmer/alerts-page.tsx';
import { FarmsPage } from './farmer/farms-page.tsx';
import { MarketPage } from './farmer/market-page.tsx';
import { RulesPage } from './farmer/rules-page.tsx';
import { goTo, matchPath } from './location.ts';
import { OperationsPage } from './operator/operations-page.tsx';
import { firstPage, SIGNED_IN_PAGE } from './pages-of.ts';
import { PageHead } from './parts/page-head.tsx';
import type { Organization, Session } from './server/answers.ts';
import { SignedInPage } from './signed-in-page.tsx';
import { useTexts } from './texts/language.ts';
import { ImportsPage } from './vendor/imports-page.tsx';
import { ModulePage } from './vendor/module-page.tsx';
import { ModulesPage } from './vendor/modules-page.tsx';

type Parameters = Readonly<Record<string, string>>;
type Page = (organization: Organization, parameters: Parameters) => VNode;

const VENDOR: readonly (readonly [pattern: string, page: Page])[] = [
  ['/portal/:orgId/modules', (organization) => <ModulesPage organization={organization} />],
  ['/portal/:orgId/imports', (organization) => <ImportsPage organization={organization} />],
  [
    '/portal/:orgId/modules/:moduleId/:tab?',
    (organization, { moduleId = '', tab = 'overview' }) => (
      <ModulePage key={moduleId} organization={organization} moduleId={moduleId} tab={tab} />
    ),
  ],
];

const FARMER: typeof VENDOR = [
  ['/portal/:orgId/farms', (organization) => <FarmsPage organization={organization} />],
  ['/portal/:orgId/market', (organization) => <MarketPage organization={organization} />],
  ['/portal/:orgId/rules', (organization) => <RulesPage organization={organization} />],
  ['/portal/:orgId/alerts', (organization) => <AlertsPage organization={organization} />],
];

/** The page of an address, for who is signed in. */
export function PortalPages({ session, path }: { readonly session: Session; readonly path: string }) {
  const start = firstPage(session);
  const isStart = path === '/portal' || path === '/portal/';
  useEffect(() => {
    if (isStart && start !== '/portal') goTo(start, { replace: true });
  }, [isStart, start]);
  if (isStart) return start === '/portal' ? <Nothing isMember={false} /> : <p aria-busy="true">…</p>;
  if (path === SIGNED_IN_PAGE) return <SignedInPage />;
  if (session.isOperator && path === '/portal/operations') return <OperationsPage />;
  return organizationPage(session, path) ?? <Nothing isMember />;
}

function organizationPage({ organizations }: Session, path: string): VNode | null {
  const organization = organizations.find(({ id }) => path.startsWith(`/portal/${id}/`));
  if (organization === undefined) return null;
  for (const [pattern, page] of organization.kind === 'vendor' ? VENDOR : FARMER) {
    const parameters = matchPath(pattern, path);
    if (parameters !== null)
      return <div key={`${organization.id} ${pattern}`}>{page(organization, parameters)}</div>;
  }
  return null;
}

function Nothing({ isMember }: { readonly isMember: boolean }) {
  const { common } = useTexts();
  return (
    <>
      <PageHead title={common.portal} lead={isMember ? common.notFound : common.noOrganization} />
      {isMember && <a href="/portal">{common.toStart}</a>}
    </>
  );
}
