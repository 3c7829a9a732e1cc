import { BarChart } from '../parts/bar-chart.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Table } from '../parts/table.tsx';
import { useEvery } from '../parts/use-every.ts';
import type { Schemas } from '../server/api-types.ts';
import { useResource } from '../server/use-resource.ts';
import { useFormats } from '../texts/formats.ts';
import { useTexts } from '../texts/language.ts';

const REFRESH_MS = 60_000;

type Statistics = Schemas['ImportStatistics'];

/** The imports of the last 24 hours: what became of them, how long they waited, and why they were rejected. */
export function ImportCharts() {
  const texts = useTexts().statistics;
  const resource = useResource('/operations/statistics');
  useEvery(REFRESH_MS, () => void resource.reload());
  return (
    <section aria-label={texts.lastDay}>
      <div class="section-head">
        <h2>{texts.lastDay}</h2>
      </div>
      <Loaded of={resource}>
        {({ hours, rejections }) => (
          <>
            <Hours hours={hours} />
            <Rejections rejections={rejections} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function Hours({ hours }: Pick<Statistics, 'hours'>) {
  const { statistics: texts, common, operator } = useTexts();
  const format = useFormats();
  const shared = { axis: texts.hour, names: hours.map(({ startsAt }) => format.hour(startsAt)) };
  const ended = (status: 'succeeded' | 'rejected' | 'failed', tone: 'good' | 'warn' | 'bad') => ({
    name: common.importStatus[status],
    tone,
    values: hours.map((hour) => hour[status]),
  });
  const waits = hours.map(({ longestWaitSeconds }) => longestWaitSeconds);
  return (
    <div class="charts">
      <BarChart
        {...shared}
        title={texts.imports}
        series={[ended('succeeded', 'good'), ended('rejected', 'warn'), ended('failed', 'bad')]}
        format={(value) => format.number(value)}
      />
      <BarChart
        {...shared}
        title={texts.longestWait}
        series={[{ name: texts.longestWait, tone: 'busy', values: waits }]}
        format={(value) => operator.seconds(format.number(value, 0))}
      />
    </div>
  );
}

function Rejections({ rejections }: Pick<Statistics, 'rejections'>) {
  const texts = useTexts().statistics;
  const format = useFormats();
  if (rejections.length === 0) return <p class="quiet">{texts.noRejections}</p>;
  const most = Math.max(...rejections.map(({ imports }) => imports));
  return (
    <Table label={texts.rejections} columns={[texts.rejections, texts.imports]}>
      {rejections.map(({ code, imports }) => (
        <tr key={code}>
          <th scope="row">
            <a href={`/problems/${code}`} target="_blank" rel="noreferrer">
              {code}
            </a>
          </th>
          <td>
            <progress class="usage" max={most} value={imports} aria-hidden="true" />
            <small>{format.number(imports)}</small>
          </td>
        </tr>
      ))}
    </Table>
  );
}
