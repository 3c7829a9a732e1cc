import type { Organization, Session } from './server/answers.ts';

/** Where somebody comes back to who has signed in for another tab. */
export const SIGNED_IN_PAGE = '/portal/signed-in';

type PageKey = 'modules' | 'imports' | 'farms' | 'market' | 'rules' | 'alerts' | 'operations' | 'queues';

const PAGES: Readonly<Record<Organization['kind'], readonly PageKey[]>> = {
  vendor: ['modules', 'imports'],
  farmer: ['farms', 'market', 'rules', 'alerts'],
};

/** The organization of a path, or the only or first that one belongs to. */
function currentOrganization({ organizations }: Session, path: string): Organization | undefined {
  return organizations.find(({ id }) => path.startsWith(`/portal/${id}`)) ?? organizations[0];
}

/** The pages that the reader's navigation shows. */
export function pagesOf(
  session: Session,
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

/** Where a reader starts, in an organization or at all. */
export function firstPage(session: Session, organizationId: string | null = null): string {
  return pagesOf(session, `/portal/${organizationId ?? ''}`)[0]?.href ?? '/portal';
}
