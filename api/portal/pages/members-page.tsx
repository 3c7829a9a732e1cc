import { Fragment } from 'preact';
import { useDialogs } from './parts/dialogs.tsx';
import { Badge, Time } from './parts/facts.tsx';
import { choiceField, MAX_NAME, textField } from './parts/fields.tsx';
import { ListTable } from './parts/lists.tsx';
import { Button, PageHead, RowButton, Section, useOrganization } from './parts/page.tsx';
import { callApi, type Schemas } from './server/call-api.ts';
import { type ResourceList, useList } from './server/use-resource.ts';
import { useTexts } from './texts/language.ts';

type Member = Schemas['Member'];

/** The members of an organization and its open invitations, for administrators. */
export function MembersPage() {
  const { common, members: texts } = useTexts();
  const { id } = useOrganization();
  const dialogs = useDialogs();
  const members = useList(`/${id}/members`);
  const invitations = useList(`/${id}/invitations`);
  const invite = () =>
    dialogs.form({
      title: texts.inviteTitle,
      action: texts.create,
      fields: {
        name: textField({ label: texts.inviteFor, hint: texts.inviteForHint, maxLength: MAX_NAME }),
        role: choiceField({ label: texts.role, options: texts.roles, value: 'OrganizationMember' }),
      },
      submit: async ({ name, role }) => {
        const body = { role, name: name.trim() || null };
        const invitation = await callApi('POST', `/${id}/invitations`, body);
        const value = invitation.link ?? invitation.secret;
        dialogs.secret({ ...texts.link, about: invitation.name, value });
      },
      reload: invitations.reload,
    });
  return (
    <>
      <PageHead title={common.pages.members} lead={texts.lead}>
        <Button text={texts.invite} onClick={invite} />
      </PageHead>
      <MemberTable members={members} onRemoved={invitations.reload} />
      <Section title={texts.invitations}>
        <InvitationTable invitations={invitations} />
      </Section>
    </>
  );
}

interface MemberTableProps {
  readonly members: ResourceList<Member>;
  /** The invitations that a member made end too. */
  readonly onRemoved: () => Promise<void>;
}

function roleOf({ roles }: Member): 'OrganizationAdmin' | 'OrganizationMember' {
  return roles.includes('OrganizationAdmin') ? 'OrganizationAdmin' : 'OrganizationMember';
}

function otherRole(member: Member): 'OrganizationAdmin' | 'OrganizationMember' {
  return roleOf(member) === 'OrganizationAdmin' ? 'OrganizationMember' : 'OrganizationAdmin';
}

function MemberTable({ members, onRemoved }: MemberTableProps) {
  const { common, members: texts } = useTexts();
  const { id } = useOrganization();
  const dialogs = useDialogs();
  const pathOf = ({ subject }: Member) => `/${id}/members/${encodeURIComponent(subject)}` as const;
  const change = (member: Member) =>
    callApi('PUT', pathOf(member), { roles: [otherRole(member)] }).then(members.reload);
  const remove = (member: Member) =>
    dialogs.confirm({
      title: texts.removeTitle(member.name ?? member.subject),
      text: texts.removeText,
      action: common.remove,
      act: () => callApi('DELETE', pathOf(member)),
      reload: () => Promise.all([members.reload(), onRemoved()]),
    });
  return (
    <ListTable
      label={common.pages.members}
      of={members}
      empty={texts.none}
      columns={[
        [common.name, ({ name }) => name ?? '–'],
        [texts.subject, ({ subject }) => <code>{subject}</code>, 'path'],
        [texts.role, (member) => <RoleBadge role={roleOf(member)} />],
        [common.since, ({ createdAt }) => <Time value={createdAt} />],
      ]}
      actions={(member) => {
        const about = member.name ?? member.subject;
        return (
          <Fragment key={member.subject}>
            <RowButton {...{ text: texts.make[otherRole(member)], about }} onClick={() => change(member)} />
            <RowButton text={common.remove} about={about} onClick={() => remove(member)} />
          </Fragment>
        );
      }}
    />
  );
}

function RoleBadge({ role }: { readonly role: ReturnType<typeof roleOf> }) {
  const texts = useTexts().members;
  return <Badge tone={role === 'OrganizationAdmin' ? 'good' : 'calm'}>{texts.roles[role]}</Badge>;
}

function InvitationTable({ invitations }: { readonly invitations: ResourceList<Schemas['Invitation']> }) {
  const { common, members: texts } = useTexts();
  const { id: organizationId } = useOrganization();
  const dialogs = useDialogs();
  const revoke = ({ id, name }: Schemas['Invitation']) =>
    dialogs.confirm({
      title: texts.revokeTitle,
      about: name,
      text: texts.revokeText,
      action: common.revoke,
      act: () => callApi('DELETE', `/${organizationId}/invitations/${id}`),
      reload: invitations.reload,
    });
  return (
    <ListTable
      label={texts.invitations}
      of={invitations}
      empty={texts.noInvitations}
      columns={[
        [texts.inviteFor, ({ name }) => name ?? texts.nobody],
        [texts.role, ({ role }) => texts.roles[role]],
        [texts.expires, ({ expiresOn }) => <Time value={expiresOn} />],
      ]}
      actions={(invitation) => (
        <RowButton
          text={common.revoke}
          about={invitation.name ?? texts.nobody}
          onClick={() => revoke(invitation)}
        />
      )}
    />
  );
}
