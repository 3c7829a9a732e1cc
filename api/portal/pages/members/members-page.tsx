import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { Badge } from '../parts/badge.tsx';
import { LoadedList } from '../parts/loaded.tsx';
import { Time } from '../parts/localized.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { Table } from '../parts/table.tsx';
import { useAction } from '../parts/use-action.ts';
import type { Schemas } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { type ResourceList, useList } from '../server/use-resource.ts';
import { useTexts } from '../texts/language.ts';
import { InviteDialog, RemoveDialog, RevokeDialog } from './member-dialogs.tsx';

type Member = Schemas['Member'];
type Invitation = Schemas['Invitation'];

/** The dialog that is open over the page. */
type Open =
  | { readonly dialog: 'invite' }
  | { readonly dialog: 'remove'; readonly member: Member }
  | { readonly dialog: 'revoke'; readonly invitation: Invitation }
  | { readonly dialog: 'link'; readonly invitation: Schemas['InvitationWithSecret'] };

/** The members of an organization and its open invitations, for administrators. */
export function MembersPage() {
  const { common, members: texts } = useTexts();
  const { id } = useOrganization();
  const [open, setOpen] = useState<Open | null>(null);
  const members = useList(`/${id}/members`);
  const invitations = useList(`/${id}/invitations`);
  const onClose = () => setOpen(null);
  const onInvited = (invitation: Schemas['InvitationWithSecret']) => {
    setOpen({ dialog: 'link', invitation });
    void invitations.reload();
  };
  const onRemoved = async () => {
    await Promise.all([members.reload(), invitations.reload()]);
    onClose();
  };
  return (
    <>
      <PageHead title={common.pages.members} lead={texts.lead}>
        <button type="button" onClick={() => setOpen({ dialog: 'invite' })}>
          {texts.invite}
        </button>
      </PageHead>
      <MemberTable of={members} onOpen={setOpen} />
      <section>
        <h2>{texts.invitations}</h2>
        <InvitationTable of={invitations} onOpen={setOpen} />
      </section>
      {open?.dialog === 'invite' && <InviteDialog onInvited={onInvited} onClose={onClose} />}
      {open?.dialog === 'remove' && (
        <RemoveDialog member={open.member} onDone={onRemoved} onClose={onClose} />
      )}
      {open?.dialog === 'revoke' && (
        <RevokeDialog invitation={open.invitation} onDone={onRemoved} onClose={onClose} />
      )}
      {open?.dialog === 'link' && <LinkDialog invitation={open.invitation} onClose={onClose} />}
    </>
  );
}

interface LinkDialogProps {
  readonly invitation: Schemas['InvitationWithSecret'];
  readonly onClose: () => void;
}

function LinkDialog({ invitation, onClose }: LinkDialogProps) {
  const { members: texts } = useTexts();
  return (
    <SecretDialog
      title={texts.linkTitle}
      about={invitation.name}
      warning={texts.linkWarning}
      label={texts.link}
      value={invitation.link ?? invitation.secret}
      close={texts.linkDone}
      onClose={onClose}
    />
  );
}

interface TableProps<Item> {
  readonly of: ResourceList<Item>;
  readonly onOpen: (open: Open) => void;
}

function MemberTable({ of, onOpen }: TableProps<Member>) {
  const { common, members: texts } = useTexts();
  const { id } = useOrganization();
  const change = useAction(async ({ subject, roles }: Member) => {
    const role = roles.includes('OrganizationAdmin') ? 'OrganizationMember' : 'OrganizationAdmin';
    await callApi('PUT', `/${id}/members/${encodeURIComponent(subject)}`, { roles: [role] });
    await of.reload();
  });
  return (
    <>
      <ProblemNote error={change.error} />
      <LoadedList of={of} empty={texts.none}>
        {(items) => (
          <Table
            label={common.pages.members}
            columns={[common.name, texts.subject, texts.role, texts.since, common.actions]}
          >
            {items.map((member) => (
              <MemberRow
                key={member.subject}
                member={member}
                isBusy={change.isBusy}
                onChange={() => void change.run(member)}
                onRemove={() => onOpen({ dialog: 'remove', member })}
              />
            ))}
          </Table>
        )}
      </LoadedList>
    </>
  );
}

interface MemberRowProps {
  readonly member: Member;
  readonly isBusy: boolean;
  readonly onChange: () => void;
  readonly onRemove: () => void;
}

function MemberRow({ member, isBusy, onChange, onRemove }: MemberRowProps) {
  const { members: texts } = useTexts();
  const { subject, name, roles, createdAt } = member;
  const isAdmin = roles.includes('OrganizationAdmin');
  const change = isAdmin ? texts.makeMember : texts.makeAdmin;
  return (
    <tr>
      <td>{name ?? '–'}</td>
      <td class="path">
        <code>{subject}</code>
      </td>
      <td>
        <Badge tone={isAdmin ? 'good' : 'calm'}>
          {texts.roles[isAdmin ? 'OrganizationAdmin' : 'OrganizationMember']}
        </Badge>
      </td>
      <td>
        <Time value={createdAt} />
      </td>
      <td class="row-actions">
        <RowButton text={change} about={name ?? subject} disabled={isBusy} onClick={onChange} />
        <RowButton text={texts.remove} about={name ?? subject} onClick={onRemove} />
      </td>
    </tr>
  );
}

interface RowButtonProps {
  readonly text: string;
  readonly about: string;
  readonly disabled?: boolean;
  readonly onClick: () => void;
}

function RowButton({ text, about, ...button }: RowButtonProps) {
  return (
    <button type="button" class="secondary outline small" aria-label={`${text}: ${about}`} {...button}>
      {text}
    </button>
  );
}

function InvitationTable({ of, onOpen }: TableProps<Invitation>) {
  const { common, members: texts } = useTexts();
  return (
    <LoadedList of={of} empty={texts.noInvitations}>
      {(items) => (
        <Table
          label={texts.invitations}
          columns={[texts.inviteFor, texts.role, texts.expires, common.actions]}
        >
          {items.map((invitation) => (
            <tr key={invitation.id}>
              <td>{invitation.name ?? texts.nobody}</td>
              <td>{texts.roles[invitation.role]}</td>
              <td>
                <Time value={invitation.expiresOn} />
              </td>
              <td class="row-actions">
                <RowButton
                  text={texts.revoke}
                  about={invitation.name ?? texts.nobody}
                  onClick={() => onOpen({ dialog: 'revoke', invitation })}
                />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </LoadedList>
  );
}
