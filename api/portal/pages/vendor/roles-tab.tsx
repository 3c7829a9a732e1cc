import type {
  CustomData,
  CustomRole,
  RolesEntities,
} from '../../../../shared/package/roles/roles-entities.ts';
import { Facts } from '../parts/facts.tsx';
import { useTexts } from '../texts/language.ts';

/** The roles and entities that a module brings. */
export function RolesTab({ roles }: { readonly roles: RolesEntities | null }) {
  const { vendor } = useTexts();
  if (roles === null || roles.roles.length + roles.data.length === 0)
    return <p class="empty">{vendor.roles.none}</p>;
  return (
    <>
      <p class="lead">{vendor.roles.lead}</p>
      {roles.roles.length > 0 && (
        <section>
          <h2>{vendor.roles.roles}</h2>
          <div class="grid-cards">
            {roles.roles.map((each) => (
              <RoleCard key={each.name} role={each} />
            ))}
          </div>
        </section>
      )}
      {roles.data.length > 0 && (
        <section>
          <h2>{vendor.roles.entities}</h2>
          <div class="grid-cards">
            {roles.data.map((each) => (
              <EntityCard key={each.name} entity={each} />
            ))}
          </div>
        </section>
      )}
    </>
  );
}

function RoleCard({ role }: { readonly role: CustomRole }) {
  const texts = useTexts().vendor.roles;
  return (
    <article class="card">
      <h3>{role.name}</h3>
      <Facts
        of={[
          [texts.entityType, role.entityType],
          [texts.baseRoles, role.baseRoles.join(', ')],
          ...Object.entries(role.permissions).map(
            ([entity, permitted]) => [`${texts.permissions}: ${entity}`, permitted.join(', ')] as const,
          ),
        ]}
      />
    </article>
  );
}

function EntityCard({ entity }: { readonly entity: CustomData }) {
  const { common, vendor } = useTexts();
  const { internalOnly } = entity;
  return (
    <article class="card">
      <h3>{entity.name}</h3>
      <Facts
        of={[
          [vendor.roles.entityType, entity.entityType],
          [vendor.roles.intention, entity.intention],
          [vendor.roles.internal, internalOnly === null ? null : internalOnly ? common.yes : common.no],
        ]}
      />
    </article>
  );
}
