import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { SessionOrganization } from '../session-answer.ts';

/** The organization whose page is shown. */
export const OrganizationContext = createContext<SessionOrganization | null>(null);

/** Returns the organization whose page is shown. */
export function useOrganization(): SessionOrganization {
  const organization = useContext(OrganizationContext);
  if (organization === null) throw new Error('this page belongs to no organization');
  return organization;
}
