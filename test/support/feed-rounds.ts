import fc from 'fast-check';
import { BOTH_AREAS } from './machine-access.ts';

/** The number of farmers. */
export const FARMERS = 3;

const farmer = fc.nat({ max: FARMERS - 1 });
const farmers = fc.uniqueArray(farmer);
const areas = fc.subarray([...BOTH_AREAS]);
/** Counted from the newest one. */
const back = fc.nat({ max: 3 });
const number = fc.nat({ max: 9 });

const step = <Kind extends string, Members extends object>(
  kind: Kind,
  members: { [Name in keyof Members]: fc.Arbitrary<Members[Name]> },
) => fc.record<Members>(members).map((each) => ({ kind, ...each }));

/** Something that may change what a module sees. A step that is not possible is refused, and changes nothing. */
const anyStep = fc.oneof(
  {
    weight: 3,
    arbitrary: step('import', { areas, isStaged: fc.boolean(), criterion: fc.constantFrom('rain', 'wind') }),
  },
  { weight: 3, arbitrary: step('release', { back }) },
  { weight: 2, arbitrary: step('ring', { back, farmers, percent: fc.constantFrom(null, 50) }) },
  { weight: 4, arbitrary: step('preview', { back, farmers }) },
  { weight: 4, arbitrary: step('install', { farmer, areas: fc.option(areas) }) },
  { weight: 5, arbitrary: step('createRule', { farmer, value: number }) },
  { weight: 3, arbitrary: step('changeRule', { farmer, value: number }) },
  { weight: 5, arbitrary: step('deleteRule', { farmer }) },
  { weight: 5, arbitrary: step('writeFarm', { farmer, name: number }) },
  step('eraseFarms', { farmer }),
  step('uninstall', { farmer }),
  step('quarantine', {}),
  step('endQuarantine', {}),
  step('rename', { farmer, name: number, countryCode: fc.constantFrom('US', null) }),
  step('delete', {}),
);

/** A step. */
export type Step = typeof anyStep extends fc.Arbitrary<infer Each> ? Each : never;

/** Steps that are made at once, and the page size with which the changes are followed afterwards. */
export interface Round {
  readonly steps: readonly Step[];
  /** Zero: not now. */
  readonly limit: number;
  /** Whether one page is read, or all that there are. */
  readonly isOnePage: boolean;
}

/** Random rounds. */
export const anyRounds: fc.Arbitrary<readonly Round[]> = fc.array(
  fc.record({
    steps: fc.array(anyStep, { minLength: 1, maxLength: 2 }),
    limit: fc.constantFrom(0, 1, 100, 100),
    isOnePage: fc.constantFrom(true, false, false),
  }),
  { minLength: 1, maxLength: 30, size: 'max' },
);

const together = (...steps: readonly Step[]): Round => ({ steps, limit: 100, isOnePage: false });
const unseen = (...steps: readonly Step[]): Round => ({ steps, limit: 0, isOnePage: false });

/** Each step once, and followed: an event that is missing is found by each run. */
export const TOUR: readonly Round[] = [
  together({ kind: 'writeFarm', farmer: 0, name: 1 }),
  together({ kind: 'createRule', farmer: 0, value: 2 }),
  together({ kind: 'changeRule', farmer: 0, value: 3 }),
  together({ kind: 'deleteRule', farmer: 0 }),
  together({ kind: 'rename', farmer: 0, name: 4, countryCode: 'US' }),
  together({ kind: 'install', farmer: 1, areas: ['FarmOrganization'] }),
  together({ kind: 'deleteRule', farmer: 1 }),
  together({ kind: 'install', farmer: 1, areas: null }),
  together({ kind: 'uninstall', farmer: 2 }),
  together({ kind: 'writeFarm', farmer: 2, name: 5 }),
  together({ kind: 'install', farmer: 2, areas: null }),
  together({ kind: 'import', areas: [], isStaged: true, criterion: 'wind' }),
  together({ kind: 'preview', back: 0, farmers: [0] }),
  together({ kind: 'deleteRule', farmer: 0 }, { kind: 'writeFarm', farmer: 0, name: 6 }),
  together({ kind: 'preview', back: 0, farmers: [1] }),
  together({ kind: 'ring', back: 0, farmers: [2], percent: null }),
  together({ kind: 'release', back: 0 }),
  together({ kind: 'eraseFarms', farmer: 1 }, { kind: 'createRule', farmer: 0, value: 7 }),
  together({ kind: 'release', back: 1 }),
  unseen({ kind: 'quarantine' }),
  unseen({ kind: 'release', back: 0 }, { kind: 'writeFarm', farmer: 0, name: 8 }),
  together({ kind: 'endQuarantine' }),
  unseen({ kind: 'delete' }),
  together({ kind: 'import', areas: [...BOTH_AREAS], isStaged: false, criterion: 'rain' }),
  together({ kind: 'install', farmer: 0, areas: null }),
];
