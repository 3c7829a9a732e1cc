import fc from 'fast-check';
import { expect } from 'vitest';
import { FeedFollower, readAnew, type SeenState } from './feed-follower.ts';
import { anyRounds, FARMERS, TOUR, type Round } from './feed-rounds.ts';
import { SteppedModule } from './feed-steps.ts';
import type { TestModule } from './caller.ts';
import { BOTH_AREAS } from './machine-access.ts';
import { startTestApp, type TestApp } from './test-app.ts';

const OF_RULES = ['rule.created', 'rule.changed', 'rule.outdated', 'rule.deleted'];

async function newModule(app: TestApp): Promise<SteppedModule> {
  const vendor = await app.organization();
  const farmers = Array.from({ length: FARMERS }, () =>
    app.organization({ kind: 'farmer', tenantId: vendor.tenantId }),
  );
  const stepped = new SteppedModule(app, vendor, await Promise.all(farmers));
  await stepped.make({ kind: 'import', areas: [...BOTH_AREAS], isStaged: false, criterion: 'rain' });
  return stepped;
}

/** Farmers who have installed the module and share a farm and a rule with it. */
async function installEverywhere(stepped: SteppedModule): Promise<void> {
  const each = Array.from({ length: FARMERS }, async (_, farmer) => {
    await stepped.make({ kind: 'install', farmer, areas: null });
    await stepped.make({ kind: 'writeFarm', farmer, name: 0 });
    await stepped.make({ kind: 'createRule', farmer, value: 0 });
  });
  await Promise.all(each);
}

/** The copies of back ends, each with every change, and what is read anew between two changes. */
async function catchUp(app: TestApp, module: TestModule, followers: Followers, limit: number) {
  for (;;) {
    for (const each of Object.values(followers)) while ((await each.follow(limit)).hasMore);
    const anew = await readAnew(app, module);
    // What follows from a release may go on meanwhile.
    if ((await followers.all.follow(limit)).items.length === 0) return anew;
  }
}

/** A back end that follows everything, and one that names the types of rules. */
interface Followers extends Readonly<Record<string, FeedFollower>> {
  readonly all: FeedFollower;
  readonly ofRules: FeedFollower;
}

const rulesOf = ({ organizations }: SeenState) =>
  Object.entries(organizations)
    .flatMap(([id, { rules }]) => (rules === null ? [] : [[id, rules] as const]))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Makes the rounds, and compares the followers' copies with what is read anew whenever they have every change. */
async function followRounds(app: TestApp, rounds: readonly Round[]): Promise<void> {
  const stepped = await newModule(app);
  const all = new FeedFollower(app, stepped.module, null);
  const ofRules = new FeedFollower(app, stepped.module, OF_RULES);
  for (const each of [all, ofRules]) await each.start();
  await installEverywhere(stepped);
  const follow = async ({ limit, isOnePage }: Pick<Round, 'limit' | 'isOnePage'>) => {
    if (!stepped.isOpen || limit === 0) return;
    for (const each of [all, ofRules]) each.useKeyOf(stepped.module);
    if (isOnePage) {
      for (const each of [all, ofRules]) await each.follow(limit);
      return;
    }
    const anew = await catchUp(app, stepped.module, { all, ofRules }, limit);
    expect(all.state.organizations).toEqual(anew.organizations);
    expect(rulesOf(ofRules.state)).toEqual(rulesOf(anew));
    // Without rules nobody needs the definitions. Before a release they are those of any preview.
    if (stepped.isReleased && rulesOf(anew).length > 0)
      expect(all.state.definitions).toEqual(anew.definitions);
  };
  for (const round of rounds) {
    // What else happens while the module is deleted decides whether there is a module: one after the other.
    if (round.steps.some(({ kind }) => kind === 'delete'))
      for (const each of round.steps) await stepped.make(each);
    else await Promise.all(round.steps.map((each) => stepped.make(each)));
    await follow(round);
  }
  await stepped.make({ kind: 'endQuarantine' });
  await follow({ limit: 100, isOnePage: false });
}

/**
 * Makes a tour of all steps and this number of random sequences, each on a module of its own, while back ends follow the feed. A failure reports
 * the shortest sequence that was found, and the seed.
 */
export async function expectFollowed(sequences: number, seed: number): Promise<void> {
  const app = await startTestApp({
    settings: { MAX_REQUESTS_PER_MINUTE_PER_KEY: '0' },
  });
  try {
    await fc.assert(
      fc.asyncProperty(anyRounds, (rounds) => followRounds(app, rounds)),
      { seed, numRuns: sequences + 1, examples: [[TOUR]], endOnFailure: true },
    );
  } finally {
    await app.stop();
  }
}
