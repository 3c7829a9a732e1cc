import { setTimeout } from 'node:timers/promises';
import { Random } from '../../support/random.ts';
import { LaneCalls } from './lane-calls.ts';
import {
  changeText,
  FarmChanges,
  InstallationChanges,
  type RandomChanges,
  type RandomChangeSettings,
} from './random-changes.ts';
import { countOvertaken, matchChanges, type WrittenChange } from './written-changes.ts';

const PAUSE_MS = 100;
/** A follower dies so often between a page and the storing of its cursor. */
const FORGETS = 0.1;
const PAGE = 100;
/** More than there are of anything. */
const ALL = 200;

interface FeedItem {
  readonly id: string;
  readonly cursor: string;
  readonly type: string;
  readonly organizationId: string | null;
  readonly acceptedDataAreaIds?: readonly string[];
  readonly structureIds?: readonly string[] | null;
  readonly ruleId?: string;
  readonly alertId?: string;
}

interface FeedPage {
  readonly items: readonly FeedItem[];
  readonly nextCursor: string;
  readonly hasMore: boolean;
}

/** A module, its key, and the farmers who change something that concerns it. */
export interface LaneSettings {
  readonly urls: readonly string[];
  readonly moduleId: string;
  readonly dataAreaIds: readonly string[];
  readonly key: string;
  readonly farmers: readonly { readonly organizationId: string; readonly token: string }[];
  /** The choices of its farmers follow from it. */
  readonly seed: number;
}

/** A farmer who makes changes, each once and after the one before. */
interface Writer {
  readonly organizationId: string;
  readonly calls: LaneCalls;
  readonly changes: RandomChanges;
  readonly written: WrittenChange[];
}

/** The resources that the back end reads, and the types of changes after which it reads them. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  StructuresByModuleId: ['structures', 'installation'],
  RulesByModuleId: ['rule', 'installation'],
  InstallationsByModuleId: ['installation', 'consent'],
};

/**
 * Farmers who make changes, and the back end of a module that follows the feed with a copy of its own: after each page
 * it reads those parts of which the page has changes. All repeat what was not answered.
 */
export class ChangeLane {
  readonly moduleId: string;
  readonly issues: string[] = [];
  readonly #followed: FeedItem[] = [];
  readonly #writers: readonly Writer[];
  readonly #backEnd: LaneCalls;
  readonly #random: Random;
  readonly #copy = new Map<string, string>();

  constructor({ urls, key, farmers, seed, ...settings }: LaneSettings) {
    this.moduleId = settings.moduleId;
    this.#random = new Random(seed);
    this.#backEnd = new LaneCalls(urls, { 'X-Api-Key': key });
    this.#writers = farmers.map(({ organizationId, token }, index) => {
      const calls = new LaneCalls(urls, { Authorization: `Bearer ${token}` });
      const changeSettings: RandomChangeSettings = {
        ...{ ...settings, organizationId },
        random: new Random(seed + index + 1),
        send: (call) => calls.send(call),
        sendAsModule: (call) => this.#backEnd.send(call),
      };
      const changes = index === 0 ? new InstallationChanges(changeSettings) : new FarmChanges(changeSettings);
      return { organizationId, calls, changes, written: [] };
    });
  }

  /** The IDs of the changes that the follower has seen, in order. */
  get seen(): readonly string[] {
    return this.#followed.map(({ id }) => id);
  }

  /** Whether the farmers have made so many changes together. */
  hasWritten(count: number): boolean {
    return this.#writers.reduce((total, { written }) => total + written.length, 0) >= count;
  }

  /** Makes random changes, at least so many, until the load is over. */
  async write(count: number, isOver: () => boolean): Promise<void> {
    await Promise.all(
      this.#writers.map(async ({ calls, changes, written }) => {
        while (!this.hasWritten(count) || !isOver()) {
          const startMs = Date.now();
          const unansweredBefore = calls.unanswered;
          const text = await changes.make();
          const unanswered = calls.unanswered - unansweredBefore;
          written.push({ text, startMs, endMs: Date.now(), unanswered });
          await setTimeout(PAUSE_MS);
        }
      }),
    );
  }

  /** Follows the feed until it has all that was written. */
  async follow(isWritten: () => boolean): Promise<void> {
    let cursor = '0';
    for (;;) {
      const isLast = isWritten();
      const page = await this.#page(cursor);
      // As after a crash: what was read is not processed, and read again.
      if (this.#random.chance(FORGETS)) {
        const again = await this.#page(cursor);
        const repeated = again.items.slice(0, page.items.length);
        if (JSON.stringify(repeated) !== JSON.stringify(page.items))
          this.issues.push(`other changes are read again from ${cursor}`);
      }
      this.#followed.push(...page.items);
      cursor = page.nextCursor;
      const families = new Set(page.items.map(({ type }) => type.split('.')[0]));
      for (const [part, of] of Object.entries(PARTS))
        if (of.some((family) => families.has(family))) this.#copy.set(part, await this.#readAll(part));
      if (isLast && !page.hasMore && page.items.length === 0) return;
    }
  }

  /** Compares the feed with what was written, and the copy with a full read. */
  async compare(): Promise<void> {
    const matched = new Map<FeedItem, WrittenChange | null>();
    for (const { organizationId, written } of this.#writers) {
      const items = this.#followed.filter((item) => item.organizationId === organizationId);
      const changes = matchChanges(items.map(textOf), written, this.issues);
      for (const [at, item] of items.entries()) matched.set(item, changes[at] ?? null);
    }
    const overtaken = countOvertaken(this.#followed.map((item) => matched.get(item) ?? null));
    if (overtaken > 0) this.issues.push(`${overtaken} changes come after later ones`);
    if (new Set(this.seen).size !== this.#followed.length) this.issues.push('the feed has a change twice');
    for (const part of Object.keys(PARTS))
      if (this.#copy.get(part) !== (await this.#readAll(part)))
        this.issues.push(`the copy of ${part} differs from a full read`);
  }

  async #page(cursor: string): Promise<FeedPage> {
    const path = `/Alerts/ChangesByModuleId/${this.moduleId}?cursor=${cursor}&limit=${PAGE}`;
    return JSON.parse(await this.#backEnd.send({ path, headers: { Prefer: 'wait=1' } })) as FeedPage;
  }

  async #readAll(part: string): Promise<string> {
    const query = part === 'StructuresByModuleId' ? '' : `?limit=${ALL}`;
    return this.#backEnd.send({ path: `/Alerts/${part}/${this.moduleId}${query}` });
  }
}

function textOf({ type, acceptedDataAreaIds, structureIds, ruleId, alertId }: FeedItem): string {
  const ids = [...(acceptedDataAreaIds ?? []), ...(structureIds ?? []), ruleId, alertId];
  return changeText(type, ...ids.filter((id) => id !== undefined));
}
