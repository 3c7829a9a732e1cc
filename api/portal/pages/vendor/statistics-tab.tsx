import { BarChart, Meter } from '../parts/bar-chart.tsx';
import { Figures } from '../parts/facts.tsx';
import { Loaded, Table } from '../parts/lists.tsx';
import { Section, useOrganization } from '../parts/page.tsx';
import type { Schemas } from '../server/call-api.ts';
import { useResource } from '../server/use-resource.ts';
import { useFormats, useTexts } from '../texts/language.ts';

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
            <Totals statistics={value} />
            <Days days={value.days} />
            <Installations installations={value.installations} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Totals({ statistics }: { readonly statistics: Statistics }) {
  const texts = useTexts().statistics;
  const format = useFormats();
  const { activeKeys, installations, days } = statistics;
  const sum = (values: readonly number[]) => format.number(values.reduce((total, each) => total + each, 0));
  return (
    <Figures
      of={[
        [texts.installations, sum(installations.map(({ organizations }) => organizations))],
        [texts.activeKeys, format.number(activeKeys)],
        [texts.callsOf(days.length), sum(days.map(({ calls }) => calls))],
        [texts.alertsOf(days.length), sum(days.map(({ alerts }) => alerts))],
      ]}
    />
  );
}

function Days({ days }: { readonly days: Statistics['days'] }) {
  const { common } = useTexts();
  const format = useFormats();
  const shared = {
    axis: common.day,
    names: days.map(({ day }) => format.utcDay(day)),
    format: (value: number) => format.number(value),
  };
  return (
    <div class="charts">
      <BarChart
        {...shared}
        title={common.calls}
        series={[{ name: common.calls, tone: 'busy', values: days.map(({ calls }) => calls) }]}
      />
      <BarChart
        {...shared}
        title={common.pages.alerts}
        series={[{ name: common.pages.alerts, tone: 'warn', values: days.map(({ alerts }) => alerts) }]}
      />
    </div>
  );
}

function Installations({ installations }: Pick<Statistics, 'installations'>) {
  const { common, statistics: texts } = useTexts();
  const format = useFormats();
  const most = Math.max(1, ...installations.map(({ organizations }) => organizations));
  return (
    <Section title={texts.byRevision}>
      {installations.length === 0 ? (
        <p class="empty">{texts.noInstallations}</p>
      ) : (
        <Table
          label={texts.byRevision}
          items={installations}
          columns={[
            [common.revision, ({ revision }) => revision, 'head'],
            [
              texts.installations,
              ({ organizations }) => (
                <Meter value={organizations} max={most} text={format.number(organizations)} />
              ),
            ],
          ]}
        />
      )}
    </Section>
  );
}
