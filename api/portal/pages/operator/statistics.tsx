import { BarChart, Meter } from '../parts/bar-chart.tsx';
import { ListTable, Loaded, Table } from '../parts/lists.tsx';
import { Section } from '../parts/page.tsx';
import type { Schemas } from '../server/call-api.ts';
import { useEvery, useList, useResource } from '../server/use-resource.ts';
import { useFormats, useTexts } from '../texts/language.ts';

const REFRESH_MS = 60_000;

type Statistics = Schemas['ImportStatistics'];

/** The imports of the last 24 hours: what became of them, how long they waited, and why they were rejected. */
export function ImportCharts() {
  const texts = useTexts().statistics;
  const resource = useResource('/operations/statistics');
  useEvery(REFRESH_MS, () => void resource.reload());
  return (
    <Section title={texts.lastDay} isRegion>
      <Loaded of={resource}>
        {({ hours, rejections }) => (
          <>
            <Hours hours={hours} />
            <Rejections rejections={rejections} />
          </>
        )}
      </Loaded>
    </Section>
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
        title={common.pages.imports}
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
  const { common, statistics: texts } = useTexts();
  const format = useFormats();
  if (rejections.length === 0) return <p class="quiet">{texts.noRejections}</p>;
  const most = Math.max(...rejections.map(({ imports }) => imports));
  return (
    <Table
      label={texts.rejections}
      items={rejections}
      columns={[
        [
          texts.rejections,
          ({ code }) => (
            <a href={`/problems/${code}`} target="_blank" rel="noreferrer">
              {code}
            </a>
          ),
          'head',
        ],
        [
          common.pages.imports,
          ({ imports }) => <Meter value={imports} max={most} text={format.number(imports)} />,
        ],
      ]}
    />
  );
}

/** From this part of its quota on, an organization's bar has another colour. */
const NEARLY_FULL = 0.9;

type Usage = Schemas['OrganizationUsage'];

/** The usage of organizations, most bytes first. */
export function UsageTable() {
  const { common, operator, organizations, vendor } = useTexts();
  const { usage } = operator;
  const format = useFormats();
  const list = useList('/operations/usage?limit=20');
  return (
    <Section title={usage.title}>
      <ListTable
        label={usage.title}
        of={list}
        empty={organizations.none}
        columns={[
          [common.organization, ({ organizationName }) => organizationName, 'head'],
          [usage.stored, (each) => <StoredBytes of={each} />],
          [usage.modules, ({ modules }) => format.number(modules)],
          [vendor.tabs.revisions, ({ revisions }) => format.number(revisions)],
          [usage.lastDay, ({ importsLastDay }) => format.number(importsLastDay)],
        ]}
        sentence={(each) => (
          <>
            <strong>{each.organizationName}</strong>
            <div>
              <StoredBytes of={each} />
            </div>
            <small>
              {usage.modules}: {format.number(each.modules)} · {vendor.tabs.revisions}:{' '}
              {format.number(each.revisions)} · {usage.lastDay}: {format.number(each.importsLastDay)}
            </small>
          </>
        )}
      />
    </Section>
  );
}

/** A bar of the used part of the organization's quota. */
function StoredBytes({ of: { storedBytes, maxStoredBytes: max } }: { readonly of: Usage }) {
  const { usage } = useTexts().operator;
  const format = useFormats();
  return (
    <Meter
      {...{ value: storedBytes, max, isNearlyFull: storedBytes >= NEARLY_FULL * max }}
      text={`${format.bytes(storedBytes)} · ${usage.ofQuota(format.percent(storedBytes / max))}`}
    />
  );
}
