import { useState } from 'preact/hooks';
import { useOrganization } from '../organization.ts';
import { NameField, Select } from '../parts/fields.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import type { Schemas } from '../server/api-types.ts';
import { callApi } from '../server/call-api.ts';
import { useTexts } from '../texts/language.ts';

interface InviteDialogProps {
  readonly onInvited: (invitation: Schemas['InvitationWithSecret']) => void;
  readonly onClose: () => void;
}

const ROLES = ['OrganizationMember', 'OrganizationAdmin'] as const;

/** Creates an invitation. */
export function InviteDialog({ onInvited, onClose }: InviteDialogProps) {
  const { members: texts } = useTexts();
  const { id } = useOrganization();
  const [name, setName] = useState('');
  const [role, setRole] = useState<(typeof ROLES)[number]>('OrganizationMember');
  const invite = async () => {
    const given = name.trim() === '' ? null : name.trim();
    onInvited(await callApi('POST', `/${id}/invitations`, { role, name: given }));
  };
  return (
    <FormDialog title={texts.inviteTitle} action={texts.create} onSubmit={invite} onClose={onClose}>
      <NameField label={texts.inviteFor} hint={texts.inviteForHint} value={name} onInput={setName} />
      <Select
        label={texts.role}
        options={ROLES.map((each) => [each, texts.roles[each]])}
        value={role}
        onChange={(value) => setRole(ROLES.find((each) => each === value) ?? 'OrganizationMember')}
      />
    </FormDialog>
  );
}

interface DoneProps {
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}

/** Removes a member once the reader has confirmed it. */
export function RemoveDialog({
  member,
  onDone,
  onClose,
}: DoneProps & { readonly member: Schemas['Member'] }) {
  const { members: texts } = useTexts();
  const { id } = useOrganization();
  const remove = async () => {
    await callApi('DELETE', `/${id}/members/${encodeURIComponent(member.subject)}`);
    await onDone();
  };
  const title = texts.removeTitle(member.name ?? member.subject);
  return (
    <FormDialog title={title} action={texts.remove} isDangerous onSubmit={remove} onClose={onClose}>
      <p>{texts.removeText}</p>
    </FormDialog>
  );
}

/** Revokes an invitation once the reader has confirmed it. */
export function RevokeDialog({
  invitation,
  onDone,
  onClose,
}: DoneProps & { readonly invitation: Schemas['Invitation'] }) {
  const { members: texts } = useTexts();
  const { id } = useOrganization();
  const revoke = async () => {
    await callApi('DELETE', `/${id}/invitations/${invitation.id}`);
    await onDone();
  };
  return (
    <FormDialog
      title={texts.revokeTitle}
      action={texts.revoke}
      isDangerous
      onSubmit={revoke}
      onClose={onClose}
    >
      {invitation.name !== null && <p>{invitation.name}</p>}
      <p>{texts.revokeText}</p>
    </FormDialog>
  );
}
