import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const FILE = 'docs/operators.md';
const PAGE = readFileSync(FILE, 'utf8');

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}

test('each link leads to a heading of the page or to a file', () => {
  const anchors = [...PAGE.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => `#${anchorOf(title)}`);
  const links = [...PAGE.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(40);
  for (const link of links) {
    if (link.startsWith('#')) expect(anchors).toContain(link);
    else expect(existsSync(path.join('docs', link)), link).toBe(true);
  }
});

test('each setting that the page names is one', () => {
  const known = readFileSync('.env.example', 'utf8');
  const names = [
    ...PAGE.matchAll(/`((?:AUTH|CLI|PORTAL|S3|DATABASE|REDIS|METRICS|IMPORT|MAX|SESSION|API)_[A-Z0-9_]+)/g),
  ].map(([, name = '']) => name.replace(/_FILE$/, ''));
  expect(names.length).toBeGreaterThan(30);
  for (const name of names.filter((each) => !each.endsWith('_')))
    expect(known).toMatch(new RegExp(`^${name}=|\\b${name}\\b`, 'm'));
});

test('each command that the page runs is a program of the service', () => {
  const runs = [...PAGE.matchAll(/module-import ((?:api|shared|worker)\/[a-z/-]+)/g)].map(
    ([, name = '']) => name,
  );
  const files = [...PAGE.matchAll(/dist\/([a-z/-]+)-command\.js/g)].map(([, name = '']) => name);
  expect(runs.length).toBeGreaterThan(3);
  for (const name of [...runs, ...files]) expect(existsSync(`${name}-command.ts`), name).toBe(true);
});

test('the page says what to do about each alert', () => {
  const { groups } = parse(readFileSync('docs/observability/alert-rules.yaml', 'utf8')) as {
    groups: readonly { rules: readonly { alert: string }[] }[];
  };
  const section = PAGE.slice(PAGE.indexOf('\n## Alerts\n'));
  for (const { alert } of groups.flatMap(({ rules }) => rules)) expect(section).toContain(`| \`${alert}\``);
});
