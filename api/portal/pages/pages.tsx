import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import type { SessionAnswer, SessionOrganization } from '../session-answer.ts';
import { AuditPage } from './audit-page.tsx';
import { AlertsPage } from './farmer/alerts-page.tsx';
import { ApplicationPage } from './farmer/application-page.tsx';
import { FarmsPage } from './farmer/farms-page.tsx';
import { MarketPage } from './farmer/market-page.tsx';
import { NotificationsPage } from './farmer/notifications-page.tsx';
import { OfferPage } from './farmer/offer-page.tsx';
import { RulesPage } from './farmer/rules-page.tsx';
import { InvitationPage } from './invitation-page.tsx';
import { MembersPage } from './members-page.tsx';
import { goTo, INVITATION_PAGE, type PageParameters, SESSIONS_PAGE, SIGNED_IN_PAGE } from './navigation.ts';
import { OperationsPage } from './operator/operations-page.tsx';
import { DialogHost } from './parts/dialogs.tsx';
import { OrganizationContext, PageHead } from './parts/page.tsx';
import { SessionsPage, SignedInPage } from './session-pages.tsx';
import { type Texts, useTexts } from './texts/language.ts';
import { ModulePage } from './vendor/module-page.tsx';
import { ImportsPage, ModulesPage } from './vendor/modules-page.tsx';

type PageComponent = FunctionComponent<PageParameters>;
type PageKey = keyof Texts['common']['pages'];
/** A page by the part of the address that names it, and the page of one of its modules. */
type NamedPage =
  | readonly [name: PageKey, all: PageComponent, one?: PageComponent]
  | readonly [name: 'apps', all: null, one: PageComponent];

/** The pages of an organization, as the navigation lists them. */
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
    ['notifications', NotificationsPage],
    ['members', MembersPage],
    ['auditLog', AuditPage],
  ],
};

/** The pages in the reader's navigation: those of the path's organization, or else of the person's first. */
export function pagesOf(
  session: SessionAnswer,
  path: string,
): readonly { readonly key: PageKey; readonly href: string }[] {
  const { organizations } = session;
  const organization = organizations.find(({ id }) => path.startsWith(`/portal/${id}`)) ?? organizations[0];
  const all = organization === undefined ? [] : PAGES[organization.kind];
  const listed = all.flatMap(([key, page]) => (page === null ? [] : [key]));
  const own = listed.filter((key) => key !== 'members' || organization?.isAdmin === true);
  return [
    ...own.map((key) => ({ key, href: `/portal/${organization?.id ?? ''}/${key}` })),
    ...(session.isOperator
      ? ([
          { key: 'operations', href: '/portal/operations' },
          { key: 'queues', href: '/queues/' },
        ] as const)
      : []),
  ];
}

/** Where a reader starts, in an organization or in the portal. */
export function firstPage(session: SessionAnswer, organizationId: string | null = null): string {
  return pagesOf(session, `/portal/${organizationId ?? ''}`)[0]?.href ?? '/portal';
}

/** Parts of an address: an empty one, `portal`, the organization, the page, a module, and a tab. */
const [PAGE_PART, TAB_PART] = [3, 5];

interface PortalPagesProps {
  readonly session: SessionAnswer;
  readonly path: string;
}

/** The page at an address, for the person who is signed in. */
export function PortalPages({ session, path }: PortalPagesProps) {
  const { common } = useTexts();
  const { organizations, missingOrganizationIds } = session;
  const organization = organizations.find(({ id }) => path.startsWith(`/portal/${id}/`)) ?? null;
  return (
    <OrganizationContext.Provider value={organization}>
      {missingOrganizationIds.map((id) => (
        <p key={id} class="note warn">
          {common.missingOrganization(id)}
        </p>
      ))}
      <DialogHost key={path.split('/', TAB_PART).join('/')}>
        {organization === null ? (
          <PersonalPage {...{ session, path }} />
        ) : (
          <OrganizationPage kind={organization.kind} path={path} />
        )}
      </DialogHost>
    </OrganizationContext.Provider>
  );
}

/** A page of the person, or of operators. */
function PersonalPage({ session, path }: PortalPagesProps) {
  const start = firstPage(session);
  const isStart = path === '/portal' || path === '/portal/';
  useEffect(() => {
    if (isStart && start !== '/portal') goTo(start, { replace: true });
  }, [isStart, start]);
  if (isStart) return start === '/portal' ? <Nothing isMember={false} /> : <p aria-busy="true">…</p>;
  if (path === SIGNED_IN_PAGE) return <SignedInPage />;
  if (path === INVITATION_PAGE) return <InvitationPage />;
  if (path === SESSIONS_PAGE) return <SessionsPage currentId={session.id} />;
  if (session.isOperator && path === '/portal/operations') return <OperationsPage />;
  if (session.isOperator && path === '/portal/operations/auditLog') return <AuditPage />;
  return <Nothing isMember />;
}

interface OrganizationPageProps {
  readonly kind: SessionOrganization['kind'];
  readonly path: string;
}

function OrganizationPage({ kind, path }: OrganizationPageProps) {
  const [page = '', moduleId = '', tab = '', ...rest] = path.split('/').slice(PAGE_PART);
  const [, All = null, One = null] = PAGES[kind].find(([name]) => name === page) ?? [];
  const Component = moduleId === '' ? All : One;
  if (Component === null || rest.length > 0) return <Nothing isMember />;
  return <Component moduleId={moduleId} tab={tab} />;
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
