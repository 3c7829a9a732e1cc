/** The roles of a member in an organization; an administrator has all rights of a member. */
export const ROLES = ['OrganizationAdmin', 'OrganizationMember'] as const;
export type Role = (typeof ROLES)[number];

export function isRole(value: unknown): value is Role {
  return ROLES.some((role) => role === value);
}
