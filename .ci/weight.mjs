// Prints the size of the product by folder, to compare the additions of a feature with the code that it replaces. No limit fails a build.
// usage: npm run weight [-- COMMIT]
// COMMIT is the version to compare with; by default the last release, if there is one.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

const ROOMS = ['api', 'worker', 'shared'];
const SOURCE = /\.(?:ts|tsx|css|mjs|sql)$/;
const TABLE_WIDTH = 24;

const [wanted = lastRelease()] = process.argv.slice(2);
const now = weigh(readSources(null));
const before = wanted === null ? null : weigh(readSources(wanted));

if (wanted !== null) console.log(`On the right: ${wanted}.`);
print(['', ...(before === null ? [now] : [now, before]).flatMap(() => ['files', 'lines'])]);
for (const name of [...new Set([...now.keys(), ...(before?.keys() ?? [])])]) {
  const columns = [now, ...(before === null ? [] : [before])].flatMap(
    (weights) => weights.get(name) ?? ['', ''],
  );
  print([name, ...columns]);
}

function print([name, ...columns]) {
  console.log(name.padEnd(TABLE_WIDTH) + columns.map((each) => String(each).padStart(10)).join(''));
}

function git(...args) {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return status === 0 ? stdout : null;
}

/** The newest tag of the history. */
function lastRelease() {
  return git('describe', '--tags', '--abbrev=0')?.trim() ?? null;
}

/** The sources of a commit; without one, those of the work tree. */
function readSources(commit) {
  const list =
    commit === null ? git('ls-files', ...ROOMS) : git('ls-tree', '-r', '--name-only', commit, ...ROOMS);
  if (list === null) throw new Error(`There is no commit ${commit}.`);
  const read =
    commit === null ? (name) => readFileSync(name, 'utf8') : (name) => git('show', `${commit}:${name}`) ?? '';
  return list
    .split('\n')
    .filter((name) => SOURCE.test(name))
    .map((name) => ({ name, text: read(name) }));
}

/** The rows of the table: files and lines of each folder, and in the last column how many there are of other things. */
function weigh(sources) {
  const rows = new Map();
  for (const { name, text } of sources) {
    const [files, lines] = rows.get(folderOf(name)) ?? [0, 0];
    rows.set(folderOf(name), [files + 1, lines + linesOf(text)]);
  }
  const textsOf = (folder) => sources.filter(({ name }) => name.startsWith(folder)).map(({ text }) => text);
  const all = textsOf('');
  return new Map([
    ...[...rows].toSorted(),
    ['all', [all.length, all.reduce((total, text) => total + linesOf(text), 0)]],
    ['settings', ['', distinct(textsOf('shared/config/'), /'([A-Z][A-Z0-9]*_[A-Z0-9_]+|PORT|HOST)'/g)]],
    ['tables', ['', distinct(textsOf('shared/db/'), /create table (?:if not exists )?(\w+)/gi)]],
    [
      'migrations',
      [
        '',
        distinct(
          sources.map(({ name }) => name),
          /shared\/db\/migrations\/(\d{4}-[^./]+)/g,
        ),
      ],
    ],
    ['endpoints', ['', distinct(textsOf('api/'), /^ *id: '([a-z][A-Za-z]+)',$/gm)]],
  ]);
}

/** `api` and `shared` have a row for each of their folders. */
function folderOf(name) {
  const [room, folder, file] = name.split('/');
  return room === 'worker' || file === undefined ? room : `${room}/${folder}`;
}

function linesOf(text) {
  return text.split('\n').length - 1;
}

/** How many different texts an expression captures. */
function distinct(texts, expression) {
  return new Set(texts.flatMap((text) => [...text.matchAll(expression)].map(([, found]) => found))).size;
}
