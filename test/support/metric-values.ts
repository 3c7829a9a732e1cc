/** The values of one reading of metrics, by each series' name and labels as they are printed. */
export type MetricValues = ReadonlyMap<string, number>;

/** Reads Prometheus' text format. */
export function parseMetrics(text: string): MetricValues {
  const values = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, series, value] = /^([a-zA-Z_:][\w:]*(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
    if (series === undefined || value === undefined) throw new Error(`not a line of metrics: ${line}`);
    values.set(series, Number(value.replace('+Inf', 'Infinity')));
  }
  return values;
}

/** Names of all metrics, of a histogram with its `_bucket`, `_sum` and `_count`. */
export function metricNames(text: string): Set<string> {
  const names = [...parseMetrics(text).keys()].map((series) => series.split('{', 1)[0] ?? '');
  // A metric whose labels have not occurred yet has its type and no series.
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\w+)$/gm))
    names.push(name, ...(type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : []));
  return new Set(names);
}

/** The changes between two readings, without times, sums, and the metrics that every process has. */
export function countedBetween(before: MetricValues, after: MetricValues): Record<string, number> {
  const isCount = (series: string) =>
    /_(?:total|count)(?:\{|$)/.test(series) && !/^(?:process|nodejs)_/.test(series);
  const changes = [...after]
    .filter(([series]) => isCount(series))
    .map(([series, value]) => [series, value - (before.get(series) ?? 0)] as const);
  return Object.fromEntries(changes.filter(([, change]) => change !== 0));
}
