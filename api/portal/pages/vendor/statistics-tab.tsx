import { useOrganization } from '../organization.ts';
import { BarChart } from '../parts/bar-chart.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Table } from '../parts/table.tsx';
import type { Schemas } from '../server/api-types.ts';
import { useResource } from '../server/use-resource.ts';
import { useFormats } from '../texts/formats.ts';
import { useTexts } from '../texts/language.ts';

type Statistics = Schemas['ModuleStatistics'];

/** How a module is used: its installations and keys now, its calls and alerts by day. */
export function StatisticsTab({ moduleId }: { readonly moduleId: string }) {
  const { statistics } = useTexts();
  const { id } = useOrganization();
  const resource = useResource(`/${id}/modules/${moduleId}/statistics`);
  return (
    <>
      <p class="lead">{statistics.lead}</p>
      <Loaded of={resource}>
        {(value) => (
          <>
            <Figures statistics={value} />
            <Days days={value.days} />
            <Installations installations={value.installations} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Figures({ statistics }: { readonly statistics: Statistics }) {
  const texts = useTexts().statistics;
  const format = useFormats();
  const { activeKeys, installations, days } = statistics;
  const sum = (values: readonly number[]) => format.number(values.reduce((total, each) => total + each, 0));
  return (
    <dl class="figures">
      {[
        [texts.installations, sum(installations.map(({ organizations }) => organizations))],
        [texts.activeKeys, format.number(activeKeys)],
        [texts.callsOf(days.length), sum(days.map(({ calls }) => calls))],
        [texts.alertsOf(days.length), sum(days.map(({ alerts }) => alerts))],
      ].map(([name, value]) => (
        <div key={name} class="card">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Days({ days }: { readonly days: Statistics['days'] }) {
  const texts = useTexts().statistics;
  const format = useFormats();
  const shared = {
    axis: texts.day,
    names: days.map(({ day }) => format.utcDay(day)),
    format: (value: number) => format.number(value),
  };
  return (
    <div class="charts">
      <BarChart
        {...shared}
        title={texts.calls}
        series={[{ name: texts.calls, tone: 'busy', values: days.map(({ calls }) => calls) }]}
      />
      <BarChart
        {...shared}
        title={texts.alerts}
        series={[{ name: texts.alerts, tone: 'warn', values: days.map(({ alerts }) => alerts) }]}
      />
    </div>
  );
}

function Installations({ installations }: Pick<Statistics, 'installations'>) {
  const { statistics: texts, vendor } = useTexts();
  const format = useFormats();
  const most = Math.max(1, ...installations.map(({ organizations }) => organizations));
  return (
    <section>
      <h2>{texts.byRevision}</h2>
      {installations.length === 0 ? (
        <p class="empty">{texts.noInstallations}</p>
      ) : (
        <Table label={texts.byRevision} columns={[vendor.revision, texts.installations]}>
          {installations.map(({ revision, organizations }) => (
            <tr key={revision}>
              <th scope="row">{revision}</th>
              <td>
                <progress class="usage" max={most} value={organizations} aria-hidden="true" />
                <small>{format.number(organizations)}</small>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
