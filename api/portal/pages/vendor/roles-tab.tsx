import { FactCards, useYesOrNo } from '../parts/facts.tsx';
import type { Schemas } from '../server/api-types.ts';
import { useTexts } from '../texts/language.ts';

/** The roles and entities that a module adds. */
export function RolesTab({ roles: definition }: Pick<Schemas['Module'], 'roles'>) {
  const texts = useTexts().vendor.roles;
  const yesOrNo = useYesOrNo();
  const { roles = [], data = [] } = definition ?? {};
  if (roles.length + data.length === 0) return <p class="empty">{texts.none}</p>;
  return (
    <>
      <p class="lead">{texts.lead}</p>
      <FactCards
        title={texts.roles}
        cards={roles.map(({ name, entityType, baseRoles, permissions }) => ({
          name,
          facts: [
            [texts.entityType, entityType],
            [texts.baseRoles, baseRoles.join(', ')],
            ...Object.entries(permissions).map(
              ([entity, permitted]) => [`${texts.permissions}: ${entity}`, permitted.join(', ')] as const,
            ),
          ],
        }))}
      />
      <FactCards
        title={texts.entities}
        cards={data.map(({ name, entityType, intention, internalOnly }) => ({
          name,
          facts: [
            [texts.entityType, entityType],
            [texts.intention, intention],
            [texts.internal, yesOrNo(internalOnly)],
          ],
        }))}
      />
    </>
  );
}
