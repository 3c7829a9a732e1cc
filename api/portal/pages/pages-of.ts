import type { SessionAnswer, SessionOrganization } from '../session-answer.ts';

/** Where a sign-in for another tab returns to. */
export const SIGNED_IN_PAGE = '/portal/signed-in';

/** Where a person is signed in. */
export const SESSIONS_PAGE = '/portal/sessions';

/** Where an invitation is accepted; its secret is in the fragment of the address. */
export const INVITATION_PAGE = '/portal/invitation';

type PageKey =
  | 'modules'
  | 'imports'
  | 'farms'
  | 'market'
  | 'rules'
  | 'alerts'
  | 'members'
  | 'auditLog'
  | 'operations'
  | 'queues';

const PAGES: Readonly<Record<SessionOrganization['kind'], readonly PageKey[]>> = {
  vendor: ['modules', 'imports', 'members', 'auditLog'],
  farmer: ['farms', 'market', 'rules', 'alerts', 'members', 'auditLog'],
};

/** The organization of a path, or else the person's first. */
function currentOrganization(
  { organizations }: SessionAnswer,
  path: string,
): SessionOrganization | undefined {
  return organizations.find(({ id }) => path.startsWith(`/portal/${id}`)) ?? organizations[0];
}

/** The pages in the reader's navigation. */
export function pagesOf(
  session: SessionAnswer,
  path: string,
): readonly { readonly key: PageKey; readonly href: string }[] {
  const organization = currentOrganization(session, path);
  const all = organization === undefined ? [] : PAGES[organization.kind];
  const own = all.filter((key) => key !== 'members' || organization?.isAdmin === true);
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
