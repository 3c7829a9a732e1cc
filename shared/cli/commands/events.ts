import { sampleChange, SAMPLE_TYPES } from '../../webhooks/sample-changes.ts';
import { webhookBody } from '../../webhooks/webhook-call.ts';
import { command } from '../command.ts';
import { CURSOR, readCursor, signingSecret, writeCursor, type Forwarding } from '../events/event-state.ts';
import { followChanges, openModule, type Change, type KeySession } from '../events/follow-changes.ts';
import {
  callReceiver,
  deliver,
  isAccepted,
  type Delivered,
  type Receiver,
} from '../events/forward-change.ts';
import { CannotRunError } from '../exit-codes.ts';
import { timeOf } from '../output.ts';
import type { Cli } from '../settings.ts';

const FORWARD_FLAGS = {
  '--forward <url>': 'address that is called as a webhook, such as http://localhost:3000/hook',
  '--secret <secret>': 'sign with this whsec_… (default: one of this machine)',
};

function sayWhatFollows({ moduleId }: KeySession, cursor: string | null, { output }: Cli): void {
  const from = cursor === null ? 'from now on' : cursor === OLDEST ? 'from the oldest' : `after ${cursor}`;
  output.say(`Following the events of the module ${moduleId} ${from}. Ctrl+C ends.`);
}

/** As the server knows it. */
const OLDEST = '0';

/** Where to start: as the flag says, else after the last event that was delivered there; null: from now on. */
async function startOf(
  cursor: string | undefined,
  forwarding: Forwarding | null,
  { environment: { eventsFolder } }: Cli,
): Promise<string | null> {
  if (cursor === undefined) return forwarding === null ? null : readCursor(eventsFolder, forwarding);
  if (cursor === 'latest') return null;
  if (cursor === 'oldest') return OLDEST;
  if (CURSOR.test(cursor)) return cursor;
  throw new CannotRunError('--cursor must be the cursor of an event, oldest, or latest.');
}

/** The receiver that the flags name, null: none; says what it verifies signatures with. @throws CannotRunError */
async function receiverOf(
  { forward, secret }: { readonly forward?: string; readonly secret?: string },
  cli: Cli,
): Promise<Receiver | null> {
  if (forward === undefined) return null;
  if (!URL.canParse(forward) || !['http:', 'https:'].includes(new URL(forward).protocol))
    throw new CannotRunError('--forward must be an address that starts with http:// or https://.');
  const receiver = {
    url: new URL(forward).href,
    secret: await signingSecret(cli.environment.eventsFolder, secret),
  };
  cli.output.say(`Signing with the secret ${receiver.secret}`);
  return receiver;
}

/** The members of every change. */
const COMMON: ReadonlySet<string> = new Set(['id', 'cursor', 'type', 'at', 'organizationId']);

/** One line for a change: its time, type and organization, and the IDs of the changed objects. */
function showChange(change: Change, isJson: boolean, { output }: Cli): void {
  if (isJson) {
    output.json(change);
    return;
  }
  const { type, at, organizationId } = change;
  const ids = Object.entries(change).flatMap(([name, value]) =>
    COMMON.has(name) ? [] : [`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`],
  );
  output.line([timeOf(at), type, organizationId ?? '-', ...ids].join('  '));
}

function sayDelivered(attempt: Delivered, pauseSeconds: number | null, { output }: Cli): void {
  const result = `  → ${attempt.text} (${attempt.durationMs} ms)`;
  if (pauseSeconds === null) output.say(result);
  else output.say(`${result}; again in ${pauseSeconds} s. To skip what waits, use --cursor latest.`);
}

/** Sends a sample of an event, or outputs the body of one. */
const trigger = command({
  name: 'trigger',
  summary: 'send a sample event',
  description: 'Send a sample of an event, or output the body of one. Its IDs are invented.',
  args: { type: { usage: '<event>', text: 'such as rule.created' } },
  flags: FORWARD_FLAGS,
  async call(cli, { type, ...flags }) {
    const change = sampleChange(type);
    if (change === null)
      throw new CannotRunError(`There is no event ${type}. The events are ${SAMPLE_TYPES.join(', ')}.`);
    const receiver = await receiverOf(flags, cli);
    if (receiver === null) {
      cli.output.data(`${webhookBody(change)}\n`);
      return;
    }
    const attempt = await callReceiver(receiver, change);
    sayDelivered(attempt, null, cli);
    if (!isAccepted(attempt)) throw new CannotRunError(`The receiver did not accept the event ${change.id}.`);
  },
});

/** `modulectl events`: shows what changes for a module, and delivers it to a back end on this machine. */
export const events = command({
  name: 'events',
  summary: 'follow what changes for a module',
  description:
    'Follow what changes for a module with its API key. With --forward, deliver each event to an address, signed as ' +
    'the server signs webhooks, until it is accepted; the next run continues where the last one ended.',
  flags: {
    '--server <url>': 'address of the server',
    '--module <module>': 'ID, or name if signed in (default: that of this folder)',
    '--key <key>': 'API key of the module; MODULECTL_KEY is safer',
    '--types <types>': 'only these events, separated by commas',
    '--cursor <cursor>': 'start after this event, or with: oldest, latest',
    '--once': 'end when there are no more',
    '--json': 'output each event as a line of JSON',
    ...FORWARD_FLAGS,
  },
  commands: [trigger],
  async call(cli, flags) {
    const { eventsFolder } = cli.environment;
    const session = await openModule(cli, flags);
    const receiver = await receiverOf(flags, cli);
    const forwarding = receiver === null ? null : { ...session, url: receiver.url };
    const cursor = await startOf(flags.cursor, forwarding, cli);
    const pages = followChanges(session, {
      cursor,
      types: flags.types,
      isOnce: flags.once === true,
      onOutage: (reason, seconds) => cli.output.warn(`${reason} Trying again in ${seconds} s.`),
    });
    let hasSaidWhat = flags.once === true;
    for await (const { items, nextCursor } of pages) {
      // With the first page: what happens from then on is not missed.
      if (!hasSaidWhat) sayWhatFollows(session, cursor, cli);
      hasSaidWhat = true;
      for (const change of items) {
        showChange(change, flags.json === true, cli);
        if (receiver === null || forwarding === null) continue;
        await deliver(receiver, change, (attempt, pause) => sayDelivered(attempt, pause, cli));
        await writeCursor(eventsFolder, forwarding, change.cursor);
      }
      if (forwarding !== null) await writeCursor(eventsFolder, forwarding, nextCursor);
    }
  },
});
