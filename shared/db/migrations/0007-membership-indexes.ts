import type { NewIndex } from './migration.ts';

/** What a person is a member of, the invitations of an organization, and what expires. */
export const name = '0007-membership-indexes';

export const indexes: readonly NewIndex[] = [
  { name: 'members_person', on: 'members (issuer, subject)' },
  { name: 'members_newest', on: 'members (organization_id, created_at, id)' },
  { name: 'organization_groups_name', on: 'organization_groups (issuer, name)' },
  { name: 'invitations_newest', on: 'invitations (organization_id, created_at, id)' },
  { name: 'invitations_expiry', on: 'invitations (expires_at)' },
];
