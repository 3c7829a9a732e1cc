import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import type { SessionAnswer, SessionOrganization } from '../session-answer.ts';
import { AllAuditPage, AuditPage } from './audit-page.tsx';
import { AlertsPage } from './farmer/alerts-page.tsx';
import { ApplicationPage } from './farmer/application-page.tsx';
import { FarmsPage } from './farmer/farms-page.tsx';
import { MarketPage } from './farmer/market-page.tsx';
import { OfferPage } from './farmer/offer-page.tsx';
import { RulesPage } from './farmer/rules-page.tsx';
import {
  firstPage,
  goTo,
  INVITATION_PAGE,
  type PageParameters,
  SESSIONS_PAGE,
  SIGNED_IN_PAGE,
} from './navigation.ts';
import { OperationsPage } from './operator/operations-page.tsx';
import { InvitationPage } from './invitation-page.tsx';
import { MembersPage } from './members-page.tsx';
import { OrganizationContext } from './organization.ts';
import { DialogHost } from './parts/dialogs.tsx';
import { PageHead } from './parts/page.tsx';
import { SessionsPage, SignedInPage } from './session-pages.tsx';
import { useTexts } from './texts/language.ts';
import { ModulePage } from './vendor/module-page.tsx';
import { ImportsPage, ModulesPage } from './vendor/modules-page.tsx';

type PageComponent = FunctionComponent<PageParameters>;
/** A page by the part of the address that names it, and the page of one of its modules. */
type NamedPage = readonly [name: string, all: PageComponent | null, one?: PageComponent];

const PAGES: Readonly<Record<SessionOrganization['kind'], readonly NamedPage[]>> = {
  vendor: [
    ['modules', ModulesPage, ModulePage],
    ['imports', ImportsPage],
    ['members', MembersPage],
    ['auditLog', AuditPage],
  ],
  farmer: [
    ['farms', FarmsPage],
    ['market', MarketPage, OfferPage],
    ['apps', null, ApplicationPage],
    ['rules', RulesPage],
    ['alerts', AlertsPage],
    ['members', MembersPage],
    ['auditLog', AuditPage],
  ],
};

/** Before it are the empty start, `portal` and the organization. */
const PAGE_PART = 3;

interface PortalPagesProps {
  readonly session: SessionAnswer;
  readonly path: string;
}

/** The page at an address, for the person who is signed in. */
export function PortalPages(props: PortalPagesProps) {
  const { common } = useTexts();
  const missing = props.session.missingOrganizationIds;
  return (
    <>
      {missing.map((id) => (
        <p key={id} class="note warn">
          {common.missingOrganization(id)}
        </p>
      ))}
      <Page {...props} />
    </>
  );
}

function Page({ session, path }: PortalPagesProps) {
  const start = firstPage(session);
  const isStart = path === '/portal' || path === '/portal/';
  useEffect(() => {
    if (isStart && start !== '/portal') goTo(start, { replace: true });
  }, [isStart, start]);
  if (isStart) return start === '/portal' ? <Nothing isMember={false} /> : <p aria-busy="true">…</p>;
  if (path === SIGNED_IN_PAGE) return <SignedInPage />;
  if (path === INVITATION_PAGE) return <InvitationPage />;
  if (path === SESSIONS_PAGE)
    return (
      <DialogHost key={path}>
        <SessionsPage currentId={session.id} />
      </DialogHost>
    );
  if (session.isOperator && path === '/portal/operations')
    return (
      <DialogHost key={path}>
        <OperationsPage />
      </DialogHost>
    );
  if (session.isOperator && path === '/portal/operations/auditLog') return <AllAuditPage />;
  return <OrganizationPage session={session} path={path} />;
}

function OrganizationPage({ session, path }: PortalPagesProps) {
  const organization = session.organizations.find(({ id }) => path.startsWith(`/portal/${id}/`));
  if (organization === undefined) return <Nothing isMember />;
  const [page = '', moduleId = '', tab = '', ...rest] = path.split('/').slice(PAGE_PART);
  const [, All = null, One = null] = PAGES[organization.kind].find(([name]) => name === page) ?? [];
  const Component = moduleId === '' ? All : One;
  if (Component === null || rest.length > 0) return <Nothing isMember />;
  return (
    <OrganizationContext.Provider value={organization}>
      <DialogHost key={[organization.id, page, moduleId].join(' ')}>
        <Component moduleId={moduleId} tab={tab} />
      </DialogHost>
    </OrganizationContext.Provider>
  );
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
