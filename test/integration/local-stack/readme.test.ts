import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { SHIPPED_SETS } from '../../../shared/catalogue/shipped-sets.ts';
import { runCommand } from '../../support/local-stack.ts';
import { runShell } from '../../support/run-shell.ts';
import { sharedStack } from '../../support/shared-stack.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const START = 'test/integration/local-stack/start.test.ts';
const CLI = 'test/integration/cli/modulectl.test.ts';
const HERE = 'test/integration/local-stack/readme.test.ts';

/** A test that runs a command: its file, and how its title begins. */
type RunBy = readonly [file: string, title: string];

/** Every command that the README names, and the test that runs it. */
const COMMANDS: Readonly<Record<string, RunBy>> = {
  'npm start': [START, 'prints one ready line, a token and a curl line'],
  'TOKEN=…': [HERE, 'the lines that npm start prints, pasted into a shell, import the example'],
  'curl -H "Authorization: Bearer $TOKEN" -F file=@.data/example-module.zip http://127.0.0.1:8080/api/v8.0/a1c0ffee-0000-4000-8000-000000000001/ImportModuleAsync':
    [HERE, 'the lines that npm start prints, pasted into a shell, import the example'],
  // Whoever reads this runs it; that the command leads there is what is left to prove.
  'npm test': [HERE, 'every npm script leads to files that are there'],
  'npm run --silent token -- --org GUID [--role OrganizationMember] [--operator]': [
    START,
    'npm run token prints a token of the issuer that the API takes',
  ],
  'npm run --silent catalogue -- languages/en': [
    START,
    'npm run catalogue prints the ID of an entry and nothing else',
  ],
  'npm run --silent catalogue -- languages': [HERE, 'npm run catalogue lists a set'],
  'npx modulectl init DIR': [CLI, 'writes a folder that passes check without a warning'],
  'npx modulectl check DIR': [CLI, 'of a bad folder exits 1, with the report on standard output'],
  'npx modulectl pack DIR': [CLI, 'gives the same bytes whatever the times, modes and order'],
  // These run for minutes.
  'npm run check': [HERE, 'every npm script leads to files that are there'],
  'npm run test:api': [HERE, 'every npm script leads to files that are there'],
  // It writes what tests compare with: those tests fail without it.
  'npx vitest run -u': [HERE, 'every npm script leads to files that are there'],
  'npm run test:faults': [HERE, 'every npm script leads to files that are there'],
  'npm run bench -- import': [
    HERE,
    'npm run bench knows the benchmarks that the README names, and no others',
  ],
  'npm run bench -- archive': [
    HERE,
    'npm run bench knows the benchmarks that the README names, and no others',
  ],
  'npm run bench -- machine-access': [
    HERE,
    'npm run bench knows the benchmarks that the README names, and no others',
  ],
  'npm run bench -- files': [HERE, 'npm run bench knows the benchmarks that the README names, and no others'],
  'npm run bench -- workers': [
    HERE,
    'npm run bench knows the benchmarks that the README names, and no others',
  ],
  'npm run bench -- statements': [
    HERE,
    'npm run bench knows the benchmarks that the README names, and no others',
  ],
  'npm ci': [HERE, 'npm ci finds the lock file in step with package.json'],
};

function readText(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

function readJson(file: string): unknown {
  return JSON.parse(readText(file));
}

const readme = readText('README.md');
const { scripts } = readJson('package.json') as { scripts: Readonly<Record<string, string>> };

/** The fenced blocks of the README. */
const blocks = [...readme.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
  language,
  lines: text.split('\n').filter((line) => line !== ''),
}));

/** Languages of blocks that hold no commands, or that a test runs whole: the walk from import to alert and export. */
const SILENT = ['json', 'text', 'sh'];
const PROGRAM = /^(?:apt-get|curl|docker|git|go|node|npm|npx|psql|[A-Z_]+=)/;

/** What a block tells to run: in a console all after a prompt and what can be pasted, elsewhere every line. */
function blockCommands({ language, lines }: { language: string; lines: readonly string[] }): string[] {
  if (SILENT.includes(language)) return [];
  if (language !== 'console') return lines.filter((line) => !line.startsWith('#'));
  return lines.flatMap((line) => {
    if (line.startsWith('$ ')) return [line.slice(2)];
    return PROGRAM.test(line) ? [line] : [];
  });
}

/** Commands named in the text; `-- x` stands for the command before with other arguments. */
function inlineCommands(): string[] {
  const prose = readme.replaceAll(/^```.*?^```$/gms, '');
  const found: string[] = [];
  for (const [, span = ''] of prose.matchAll(/`([^`\n]+)`/g)) {
    if (/^(?:apt-get|curl|docker|git|go|node|npm|npx|psql) /.test(span)) found.push(span);
    else if (span.startsWith('-- ')) found.push(`${found.at(-1)?.split(' -- ')[0] ?? ''} ${span}`);
  }
  return found;
}

/** As the table writes it: a token is another with every start. */
function tableForm(command: string): string {
  return command.replace(/^TOKEN=\S+$/, 'TOKEN=…');
}

describe('commands of the README', () => {
  test('each is in the table here, and each of the table is in the README', () => {
    const told = [...blocks.flatMap(blockCommands), ...inlineCommands()].map(tableForm);
    expect([...new Set(told)].toSorted()).toEqual(Object.keys(COMMANDS).toSorted());
  });

  test.each(Object.entries(COMMANDS))('%s is run by a test that is there', (_, [file, title]) => {
    expect(readText(file)).toContain(`test('${title}`);
  });

  test('each npm script that the README names is one of package.json', () => {
    const names = Object.keys(COMMANDS).flatMap((command) => {
      const name = /^npm (?:run (?:--silent )?)?(start|test|[\w:]+)/.exec(command)?.[1];
      return name === undefined || name === 'ci' ? [] : [name];
    });
    expect(names.length).toBeGreaterThan(0);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(names));
  });

  test('every npm script leads to files that are there', () => {
    for (const [name, script] of Object.entries(scripts)) {
      for (const step of script.replace(/^exec /, '').split(' && ')) expectThere(step, name);
    }
    const { vitest } = readJson('stryker.config.json') as { vitest: { configFile: string } };
    expect(existsSync(path.join(ROOT, vitest.configFile)), vitest.configFile).toBe(true);
  });

  test('npm ci finds the lock file in step with package.json', () => {
    const kinds = ['dependencies', 'optionalDependencies', 'devDependencies'] as const;
    type Manifest = Readonly<Partial<Record<(typeof kinds)[number], Record<string, string>>>>;
    const manifest = readJson('package.json') as Manifest;
    const lock = readJson('package-lock.json') as { packages: Readonly<Record<string, Manifest>> };
    for (const kind of kinds) expect(lock.packages['']?.[kind], kind).toEqual(manifest[kind]);
  });
});

/** Expects that what one step of an npm script runs is there. */
function expectThere(step: string, name: string): void {
  const [program = '', first = '', second = ''] = step.split(' ');
  const there = (file: string) => {
    expect(existsSync(path.join(ROOT, file)), `${name}: ${file}`).toBe(true);
  };
  if (program === 'npm') {
    expect(Object.keys(scripts), name).toContain(second);
  } else if (program !== 'node') {
    there(`node_modules/.bin/${program}`);
  } else {
    there(first);
    // The entry of the local commands leads on to a file that is compiled first.
    const target = new RegExp(`^  ${second}: \\['(\\S+)'`, 'm').exec(readText(first))?.[1] ?? '';
    expect(target, `${name}: a target of ${first}`).not.toBe('');
    there(target.replace(/^dist\/(.*)\.js$/, '$1.ts'));
  }
}

describe('on a stack of its own', () => {
  const dataDir = path.join(inject('scratch'), `readme-${randomUUID()}`);
  const local = sharedStack(dataDir);

  /** What differs from start to start is put as the README puts it. */
  const asInReadme = (output: string) =>
    output
      .replaceAll(local.stack.url, 'http://127.0.0.1:8080')
      .replace(/^TOKEN=(.{20}).*$/m, 'TOKEN=$1…')
      .replace(/file=@\S+/, 'file=@.data/example-module.zip')
      .split('\n')
      .filter((line) => line !== '');

  test('the README shows what npm start prints', () => {
    const shown = blocks.find(({ lines }) => lines[0] === '$ npm start')?.lines.slice(1);
    expect(asInReadme(local.stack.output)).toEqual(
      shown?.map((line) => line.replace(/^(TOKEN=.{20}).*$/, '$1…')),
    );
  });

  test('the lines that npm start prints, pasted into a shell, import the example as the README answers', async () => {
    const pasted = local.stack.output.split('\n').filter((line) => /^(?:TOKEN=|curl )/.test(line));
    expect(pasted).toHaveLength(2);
    const script = pasted.join('\n').replace('\ncurl ', '\ncurl --silent --show-error ');
    const stdout = await runShell(script);
    const shown = JSON.parse(
      blocks.find(({ language }) => language === 'json')?.lines.join('') ?? '{}',
    ) as Record<string, unknown>;
    const wanted = Object.entries(shown).map(([name, value]) => [
      name,
      value === '…' ? (expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown) : value,
    ]);
    expect(JSON.parse(stdout)).toEqual(Object.fromEntries(wanted));
  });

  test('npm run token --operator prints a token that operators’ calls take', async () => {
    const { output } = await runCommand(
      ['token', '--org', local.stack.organizationId, '--operator'],
      dataDir,
    );
    const answer = await fetch(`${local.stack.url}/api/v8.0/organizations`, {
      headers: { Authorization: `Bearer ${output.trim()}` },
    });
    expect(answer.status).toBe(200);
  });

  test('npm run token prints no operator’s token unless it is asked for', async () => {
    const { output } = await runCommand(['token', '--org', local.stack.organizationId], dataDir);
    const answer = await fetch(`${local.stack.url}/api/v8.0/organizations`, {
      headers: { Authorization: `Bearer ${output.trim()}` },
    });
    expect(answer.status).toBe(403);
  });

  test('npm run catalogue lists a set: ID, key and name of each entry', async () => {
    const { exitCode, output } = await runCommand(['catalogue', 'languages'], dataDir);
    expect(exitCode).toBe(0);
    const keys = output
      .trim()
      .split('\n')
      .map((line) => /^[0-9a-f-]{36} {2}(\S+) +\S/.exec(line)?.[1]);
    expect(keys).toEqual(SHIPPED_SETS['languages']?.map(([key]) => key));
  });

  test('npm run catalogue of what is not there says so and fails', async () => {
    for (const wanted of ['tides', 'languages/xx']) {
      const { exitCode, output, errors } = await runCommand(['catalogue', wanted], dataDir);
      expect([exitCode, output]).toEqual([1, '']);
      expect(errors).toContain(wanted.split('/').at(-1));
    }
  });

  test('npm run bench knows the benchmarks that the README names, and no others', async () => {
    const { exitCode, errors } = await runCommand(['bench', 'none'], dataDir);
    expect(exitCode).toBe(2);
    const known = /usage: npm run bench -- (.*)/.exec(errors)?.[1]?.split(' | ');
    const named = Object.keys(COMMANDS).flatMap(
      (command) => /^npm run bench -- ([\w-]+)$/.exec(command)?.[1] ?? [],
    );
    expect(known?.toSorted()).toEqual(named.toSorted());
  });
});

describe('the walk from import to alert', () => {
  const dataDir = path.join(inject('scratch'), `walk-${randomUUID()}`);
  const local = sharedStack(dataDir);

  test('runs as it stands, in seven curl lines and the two of the export, and each call answers as it should', async () => {
    const walk = blocks.filter(({ language }) => language === 'sh');
    const script = walk
      .flatMap(({ lines }) => lines)
      .join('\n')
      .replaceAll('http://127.0.0.1:8080', local.stack.url)
      .replaceAll('.data/', `${dataDir}/`)
      .replaceAll(/^curl .*$/gm, '$& && echo');
    expect(script.match(/\bcurl /g)).toHaveLength(9);
    const stdout = await runShell(script, { DATA_DIR: dataDir });
    const answers = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
    expect(answers).toMatchObject([
      { created: 1, updated: 0, unchanged: 0 },
      { consentPending: false },
      { organizations: [{ organizationName: 'North Farm', farms: [{ name: 'Home farm' }] }] },
      { results: [{ outcome: 'created' }] },
      { outcome: 'unchanged', revision: 1, warnings: [] },
    ]);
  });
});
