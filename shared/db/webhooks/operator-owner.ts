const RESERVED_ID = '00000000-0000-0000-0000-000000000001';

/**
 * The owner of the operator's webhooks: an organization and a module that only stand for the whole deployment. So they
 * are kept, delivered, counted and take turns as those of vendors. The organization counts as deleted: nobody can be its
 * member, and no list has it.
 */
export const OPERATOR_OWNER = { organizationId: RESERVED_ID, moduleId: RESERVED_ID };

/** SQL for its rows. */
export const OPERATOR_OWNER_ROWS = `
  insert into organizations
    (id, tenant_id, kind, name, created_by, updated_by, deleted_at, deleted_by, cleared_at)
  values
    ('${RESERVED_ID}', '${RESERVED_ID}', 'vendor', 'Operator', 'service', 'service', now(), 'service', now());
  insert into modules (id, organization_id, tenant_id, newest_revision)
  values ('${RESERVED_ID}', '${RESERVED_ID}', '${RESERVED_ID}', 0);
`;
