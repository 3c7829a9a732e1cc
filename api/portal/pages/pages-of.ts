import type { SessionAnswer, SessionOrganization } from '../session-answer.ts';

/** Where a sign-in for another tab returns to. */
export const SIGNED_IN_PAGE = '/portal/signed-in';

/** Where a person is signed in. */
export const SESSIONS_PAGE = '/portal/sessions';

type PageKey =
  'modules' | 'imports' | 'farms' | 'market' | 'rules' | 'alerts' | 'auditLog' | 'operations' | 'queues';

const PAGES: Readonly<Record<SessionOrganization['kind'], readonly PageKey[]>> = {
  vendor: ['modules', 'imports', 'auditLog'],
  farmer: ['farms', 'market', 'rules', 'alerts', 'auditLog'],
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
  const own = organization === undefined ? [] : PAGES[organization.kind];
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
