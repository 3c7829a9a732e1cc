import { useTexts } from '../texts/language.ts';
import { type Column, Table } from './lists.tsx';

/** The meaning of a part of each bar. */
interface Series {
  readonly name: string;
  readonly tone: 'good' | 'bad' | 'warn' | 'busy';
  /** One for each bar; null: not known. */
  readonly values: readonly (number | null)[];
}

interface BarChartProps {
  readonly title: string;
  /** The unit of the bars, such as days, and the name of each. */
  readonly axis: string;
  /** In autumn an hour has the name of the one before. */
  readonly names: readonly string[];
  /** The parts of the bars, from below. */
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

const WIDTH = 480;
const HEIGHT = 110;
/** The width of the bar and the gap after it. */
const BAR_SHARE = 0.8;
/** A value that is not zero can be seen. */
const MIN_HEIGHT = 1.5;

/** A small chart of stacked bars, and the same numbers as a table. */
export function BarChart(props: BarChartProps) {
  const { title, axis, names, series, format } = props;
  const { statistics } = useTexts();
  const highest = Math.max(...names.map((_name, index) => totalAt(series, index)), 0);
  return (
    <figure class="card chart">
      <figcaption class="row apart">
        <strong>{title}</strong>
        <span class="quiet">{statistics.highest(format(highest))}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${title}: ${statistics.highest(format(highest))}`}
      >
        {highest > 0 &&
          names.map((_name, index) => <Bar key={index} {...props} index={index} highest={highest} />)}
        <path class="chart-line" d={`M0 ${HEIGHT}H${WIDTH}`} />
      </svg>
      <div class="row apart quiet" aria-hidden="true">
        <span>{names[0]}</span>
        <span>{names.at(-1)}</span>
      </div>
      {series.length > 1 && (
        <div class="row quiet">
          {series.map(({ name, tone }) => (
            <span key={name} class={`legend tone-${tone}`}>
              {name}
            </span>
          ))}
        </div>
      )}
      <details>
        <summary>{statistics.asTable}</summary>
        <Table
          label={title}
          items={names}
          columns={[
            [axis, (name) => name, 'head'],
            ...series.map(({ name, values }): Column<string> => [
              name,
              (_name, index) => valueText(values[index], format),
              'number',
            ]),
          ]}
        />
      </details>
    </figure>
  );
}

function valueText(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}

function totalAt(series: readonly Series[], index: number): number {
  return series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0);
}

interface BarProps extends BarChartProps {
  readonly index: number;
  readonly highest: number;
}

function Bar({ names, series, format, index, highest }: BarProps) {
  const step = WIDTH / names.length;
  return (
    <g>
      <title>
        {[
          names[index],
          ...series.map(({ name, values }) => `${name} ${valueText(values[index], format)}`),
        ].join(' · ')}
      </title>
      {series.map(({ name, tone, values }, position) => {
        const value = values[index] ?? 0;
        if (value === 0) return null;
        const below = totalAt(series.slice(0, position), index);
        const height = Math.max(MIN_HEIGHT, (value / highest) * HEIGHT);
        return (
          <rect
            key={name}
            class={`tone-${tone}`}
            x={index * step}
            y={HEIGHT - (below / highest) * HEIGHT - height}
            width={step * BAR_SHARE}
            height={height}
          />
        );
      })}
    </g>
  );
}

interface MeterProps {
  readonly value: number;
  readonly max: number;
  readonly text: string;
  readonly isNearlyFull?: boolean;
}

/** A bar in a cell of a table, and what it says in words. */
export function Meter({ text, isNearlyFull = false, ...bar }: MeterProps) {
  return (
    <>
      <progress class={isNearlyFull ? 'usage nearly-full' : 'usage'} {...bar} aria-hidden="true" />
      <small>{text}</small>
    </>
  );
}
