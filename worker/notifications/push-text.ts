import type { ClaimedMessage, SentAlert } from '../../shared/db/notifications/alert-messages.ts';
import { oneLine, textsOf } from './message-text.ts';

/** What the service worker of the portal gets, in JSON. */
export interface PushText {
  readonly title: string;
  readonly body: string;
  /** The path of the page with the alerts. */
  readonly url: string;
}

/** The text must fit into 4,096 encrypted bytes; of what is longer, systems show the beginning. */
const MAX_TITLE = 120;
const MAX_BODY = 240;

/** Writes a notification in the person's language: a title and a line. */
export function writePush(message: ClaimedMessage): PushText {
  const { organizationId, alertCount } = message;
  const { subject, items } = textsOf(message);
  const [first] = items;
  const line = alertCount === 1 ? [first?.details, first?.message] : items.map(({ title }) => title);
  return {
    title: cut(subject, MAX_TITLE),
    body: cut(oneLine(line.join(' · ')), MAX_BODY),
    url: `/portal/${organizationId}/alerts`,
  };
}

const RANKS = ['critical', 'warning', 'info'] as const;

/** The severity of a message: that of its most severe alert. */
export function severityOf({ alerts }: Pick<ClaimedMessage, 'alerts'>): SentAlert['severity'] {
  return RANKS.find((rank) => alerts.some(({ severity }) => severity === rank)) ?? 'info';
}

/** At most this many characters, none of them halved. */
function cut(text: string, max: number): string {
  const characters = Array.from(text.slice(0, 2 * max + 2));
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : characters.join('');
}
