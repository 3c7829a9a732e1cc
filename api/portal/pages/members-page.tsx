import { useDialogs } from './parts/dialogs.tsx';
import { Badge, Time } from './parts/facts.tsx';
import { choiceField, nameField } from './parts/fields.tsx';
import { ListTable } from './parts/lists.tsx';
import { Button, PageHead, RowButton, useOrganization } from './parts/page.tsx';
import { callApi, type Schemas } from './server/call-api.ts';
import { joinLists, useList } from './server/use-resource.ts';
import { useFormats, useTexts } from './texts/language.ts';

type Member = Schemas['Member'];
type Invitation = Schemas['Invitation'];
type Role = Invitation['role'];

/** The members of an organization and its open invitations, for administrators. */
export function MembersPage() {
  const { common, members: texts } = useTexts();
  const { id } = useOrganization();
  const list = joinLists(useList(`/${id}/invitations`), useList(`/${id}/members`));
  const invite = useInvite(list.reload);
  const words = useMemberWords();
  return (
    <>
      <PageHead title={common.pages.members} lead={texts.lead}>
        <Button text={texts.invite} onClick={invite} />
      </PageHead>
      <ListTable
        label={common.pages.members}
        of={list}
        empty={texts.none}
        columns={[
          [common.name, (row) => <Name of={row} />, 'path'],
          [texts.role, (row) => <RoleWords role={roleOf(row)} />],
          [texts.lastSeen, words.seen],
          [common.since, ({ createdAt }) => <Time value={createdAt} />],
        ]}
        sentence={(row) => (
          <p>
            {words.sentence(row)} <Source of={row} />
          </p>
        )}
        actions={(row) =>
          'subject' in row ? (
            <MemberActions member={row} reload={list.reload} />
          ) : (
            <InvitationActions invitation={row} reload={list.reload} />
          )
        }
      />
    </>
  );
}

/** Returns what invites a person. */
function useInvite(reload: () => Promise<void>) {
  const texts = useTexts().members;
  const { id } = useOrganization();
  const dialogs = useDialogs(reload);
  return () =>
    dialogs.form({
      title: texts.inviteTitle,
      action: texts.create,
      fields: {
        name: nameField({ label: texts.inviteFor, hint: texts.inviteForHint }),
        role: choiceField({ label: texts.role, options: texts.roles, value: 'OrganizationMember' }),
      },
      submit: async ({ name, role }) => {
        const body = { role, name: name.trim() || null };
        const invitation = await callApi('POST', `/${id}/invitations`, body);
        const value = invitation.link ?? invitation.secret;
        dialogs.secret({ ...texts.link, about: invitation.name, value });
      },
    });
}

/** The role in which a person may do most. */
function roleOf(row: Member | Invitation): Role {
  if ('role' in row) return row.role;
  const roles = [...row.roles, ...row.identityProviderRoles];
  return roles.includes('OrganizationAdmin') ? 'OrganizationAdmin' : 'OrganizationMember';
}

/** Returns functions that say who somebody is, and when they were last here. */
function useMemberWords() {
  const texts = useTexts().members;
  const { ago, day } = useFormats();
  const name = (row: Member | Invitation) => row.name ?? ('subject' in row ? row.subject : texts.nobody);
  const lastSeen = ({ lastSeenAt: at }: Member) => {
    if (at === null) return texts.notSeen;
    return Date.now() - Date.parse(at) < HOUR_MS ? texts.seenNow : ago(at);
  };
  return {
    name,
    seen: (row: Member | Invitation) =>
      'subject' in row ? lastSeen(row) : texts.validUntil(day(row.expiresOn)),
    sentence: (row: Member | Invitation) =>
      'subject' in row
        ? texts.isMember(name(row), texts.is[roleOf(row)], row.lastSeenAt && lastSeen(row))
        : texts.isInvited(name(row), texts.become[row.role], day(row.expiresOn)),
  };
}

/** The service knows to within an hour when somebody was last seen. */
const HOUR_MS = 3_600_000;

function Name({ of: row }: { readonly of: Member | Invitation }) {
  const { name } = useMemberWords();
  return (
    <>
      <strong>{name(row)}</strong> <Source of={row} />
      {'subject' in row && row.name !== null && (
        <div>
          <code class="quiet">{row.subject}</code>
        </div>
      )}
    </>
  );
}

/** Where the roles of a person come from, if not only from this service. */
function Source({ of: row }: { readonly of: Member | Invitation }) {
  const texts = useTexts().members;
  if (!('subject' in row)) return <Badge tone="warn">{texts.invited}</Badge>;
  return row.identityProviderRoles.length > 0 && <Badge tone="calm">{texts.identityProvider}</Badge>;
}

function RoleWords({ role }: { readonly role: Role }) {
  const texts = useTexts().members;
  return (
    <>
      {texts.roles[role]} <span class="quiet">{texts.may[role]}</span>
    </>
  );
}

interface MemberActionsProps {
  readonly member: Member;
  /** The invitations that a member made end with them. */
  readonly reload: () => Promise<void>;
}

/** What an administrator can change of a member: the roles that the service keeps. */
function MemberActions({ member, reload }: MemberActionsProps) {
  const { common, members: texts } = useTexts();
  const { id } = useOrganization();
  const dialogs = useDialogs(reload);
  const { name } = useMemberWords();
  if (member.roles.length === 0) return null;
  const about = name(member);
  const path = `/${id}/members/${encodeURIComponent(member.subject)}` as const;
  const other = member.roles.includes('OrganizationAdmin') ? 'OrganizationMember' : 'OrganizationAdmin';
  const remove = () =>
    dialogs.confirm({
      title: texts.removeTitle(about),
      text: member.identityProviderRoles.length > 0 ? texts.removeKeptText : texts.removeText,
      action: common.remove,
      act: () => callApi('DELETE', path),
    });
  return (
    <>
      <RowButton
        text={texts.make[other]}
        about={about}
        onClick={() => callApi('PUT', path, { roles: [other] }).then(reload)}
      />
      <RowButton text={common.remove} about={about} onClick={remove} />
    </>
  );
}

interface InvitationActionsProps {
  readonly invitation: Invitation;
  readonly reload: () => Promise<void>;
}

function InvitationActions({ invitation: { id, name }, reload }: InvitationActionsProps) {
  const { common, members: texts } = useTexts();
  const { id: organizationId } = useOrganization();
  const dialogs = useDialogs(reload);
  const revoke = () =>
    dialogs.confirm({
      title: texts.revokeTitle,
      about: name,
      text: texts.revokeText,
      action: common.revoke,
      act: () => callApi('DELETE', `/${organizationId}/invitations/${id}`),
    });
  return <RowButton text={common.revoke} about={name ?? texts.nobody} onClick={revoke} />;
}
