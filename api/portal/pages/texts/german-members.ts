import type { englishMembers } from './english-members.ts';

/** The texts of the members' page and of invitations, in German. */
export const germanMembers: typeof englishMembers = {
  lead: 'Wer für diese Organisation handeln darf. Rollen, die Ihr Anmeldedienst vergibt, stehen hier nicht.',
  none: 'Es gibt noch keine Mitglieder. Laden Sie das erste ein.',
  subject: 'Kennung',
  role: 'Rolle',
  roles: { OrganizationAdmin: 'Administration', OrganizationMember: 'Mitglied' },
  since: 'Seit',
  makeAdmin: 'Zur Administration machen',
  makeMember: 'Zum Mitglied machen',
  remove: 'Entfernen',
  removeTitle: (name) => `${name} entfernen?`,
  removeText:
    'Die Person verliert binnen einer Sekunde den Zugriff, und ihre Einladungen gelten nicht mehr. Sie kann wieder eingeladen werden.',
  invite: 'Einladen',
  inviteTitle: 'Eine Person einladen',
  inviteFor: 'Für wen',
  inviteForHint: 'Unter diesem Namen steht die Person in der Liste der Mitglieder.',
  create: 'Link erzeugen',
  linkTitle: 'Ihre Einladung',
  linkWarning:
    'Kopieren Sie diesen Link jetzt und senden Sie ihn der Person. Wer ihn zuerst öffnet, wird Mitglied. Sie können ihn später nicht mehr sehen.',
  link: 'Link',
  linkDone: 'Ich habe den Link kopiert',
  invitations: 'Offene Einladungen',
  noInvitations: 'Es gibt keine offenen Einladungen.',
  expires: 'Gültig bis',
  revoke: 'Widerrufen',
  revokeTitle: 'Diese Einladung widerrufen?',
  revokeText: 'Ihr Link gilt dann nicht mehr.',
  nobody: 'Person ohne Namen',
  acceptTitle: 'Sie sind eingeladen',
  acceptLead: 'Nehmen Sie die Einladung an, um Mitglied der Organisation zu werden, die sie gesendet hat.',
  accept: 'Einladung annehmen',
  noSecret: 'Der Link ist nicht vollständig. Öffnen Sie ihn noch einmal so, wie Sie ihn erhalten haben.',
};
