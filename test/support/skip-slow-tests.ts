import { beforeEach } from 'vitest';

/** Tests of large size and duration, by title: a mutation run would repeat each for hundreds of mutants. */
const SLOW_TESTS: ReadonlySet<string> = new Set([
  'the SVG images of a package have at most 32 MiB together',
  'descriptor, roles and alert rules are read up to their limits, even beyond 1 MiB',
  'an image has at most 100,000 elements and attributes',
  'CSS with escapes has at most 1 MiB',
  'a text has at most 100,000 tokens',
  'aliases expand to at most 10,000 values',
  'accepts 50,000 values and not one more',
  'a file that compresses a thousandfold',
  'never receives a file that unpacks to more than it declares',
  'many entries that declare little stop the reading once the archive has unpacked too much',
  'the event loop turns while thousands of small files are read',
  'a large directory is fetched in two reads and nothing twice',
  'a large package is fetched once, in pieces of 100 bytes',
  'a large package is fetched once, in pieces of 65536 bytes',
  'a large package is fetched once, in pieces of 10485760 bytes',
]);

beforeEach(({ task, skip }) => skip(SLOW_TESTS.has(task.name), 'too slow for a mutation run'));
