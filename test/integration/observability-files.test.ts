import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { metricNames, parseMetrics } from '../support/metric-values.ts';
import { makeModule } from '../support/machine-access.ts';
import { answerOf } from '../support/answer-of.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly description: string };
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const read = (file: string) => readFileSync(`docs/observability/${file}`, 'utf8');

const { groups } = parse(read('alert-rules.yaml')) as {
  groups: readonly { rules: readonly AlertRule[] }[];
};
const alerts = groups.flatMap(({ rules }) => rules);
const { panels } = JSON.parse(read('grafana-dashboard.json')) as { panels: readonly Panel[] };

/** Every query of both files, with its alert or panel. Grafana replaces its variable by a time. */
const QUERIES: readonly (readonly [where: string, query: string])[] = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [title, expr.replaceAll('$__rate_interval', '5m')] as const),
  ),
];

/** The text of all nodes of one kind in a query; parse errors have the kind `⚠`. */
function nodes(query: string, kind: string): string[] {
  const found: string[] = [];
  parser.parse(query).iterate({
    enter: ({ name, type, from, to }) => {
      if (name === kind || (kind === '⚠' && type.isError)) found.push(query.slice(from, to));
    },
  });
  return found;
}

/** The metrics that a query selects, each with its label selectors. */
function selectors(query: string): { metric: string; labels: [name: string, value: string][] }[] {
  return nodes(query, 'VectorSelector').map((selector) => ({
    metric: nodes(selector, 'Identifier')[0] ?? '',
    labels: [...selector.matchAll(/\b(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  }));
}

/** Metrics of node_exporter, of blackbox_exporter and of the backup: test/outer/documents/alert-rules.test.ts reads them. */
const OF_MACHINES = /^(?:node_|probe_|module_import_last_backup_)/;

let app: TestApp;
let exported: string;

beforeAll(async () => {
  app = await startTestApp({ settings: { ADMIN_PORT: '0' }, worker: false });
  const { adminPort } = await app.startWorker();
  await makeModule(app, await app.organization());
  const answers = [
    await app.fetch(`${app.adminUrl}/metrics`),
    await answerOf(fetch(`http://127.0.0.1:${adminPort ?? 0}/metrics`)),
  ];
  exported = [...answers.map(({ text }) => text), metricsOfBackup()].join('');
});

afterAll(() => app.stop());

/** The metrics of the backup script, which writes them to a file. */
function metricsOfBackup(): string {
  const script = readFileSync('docs/deployment/back-up', 'utf8');
  const lines = [...script.matchAll(/^(?:# (?:HELP|TYPE) )?module_import_.*$/gm)];
  return lines.map(([line]) => `${line.replace('$started', '1')}\n`).join('');
}

test.each(QUERIES)('%s: the query is PromQL: %s', (_where, query) => {
  expect(nodes(query, '⚠')).toEqual([]);
  expect(selectors(query)).not.toEqual([]);
});

test.each(QUERIES)('%s: every metric and label value of the query is exported: %s', (_where, query) => {
  const names = metricNames(exported);
  const series = [...parseMetrics(exported).keys()];
  for (const { metric, labels } of selectors(query)) {
    if (OF_MACHINES.test(metric)) continue;
    expect(names, query).toContain(metric);
    for (const [name, value] of labels) {
      // The only answers are those of this test.
      const wanted = name === 'status' && value === '5xx' ? '2xx' : value;
      expect(
        series.some((each) => each.startsWith(`${metric}{`) && each.includes(`${name}="${wanted}"`)),
        `${metric} ${name}="${value}"`,
      ).toBe(true);
    }
  }
});

test.each(alerts)('$alert: its text says what to do, and rounds its value', ({ annotations }) => {
  expect(annotations.description.length).toBeGreaterThan(20);
  expect(JSON.stringify(annotations)).not.toMatch(/\$value \}/);
});

test.each(alerts)('$alert: docs/operators.md says what to do', ({ alert }) => {
  expect(readFileSync('docs/operators.md', 'utf8')).toContain(`| \`${alert}\` `);
});

test('docs/operators.md explains every metric of the service', () => {
  const page = readFileSync('docs/operators.md', 'utf8');
  for (const [, name = ''] of exported.matchAll(/^# TYPE (\S+) /gm))
    if (!/^(?:process|nodejs)_/.test(name)) expect(page).toContain(`\`${name}\``);
});
