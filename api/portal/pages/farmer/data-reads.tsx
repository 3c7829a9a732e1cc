import { LoadedList, Table } from '../parts/lists.tsx';
import { Section, useOrganization } from '../parts/page.tsx';
import type { Schemas } from '../server/call-api.ts';
import { useList } from '../server/use-resource.ts';
import { useFormats, useTexts } from '../texts/language.ts';

type DataRead = Schemas['DataRead'];

/** Which modules have read the farm's data, by day. */
export function DataReads() {
  const { common, farms } = useTexts();
  const { id } = useOrganization();
  const format = useFormats();
  const texts = farms.reads;
  const words = ({ kinds }: DayRead) => kinds.map((kind) => texts.kinds[kind]).join(', ');
  return (
    <Section title={texts.title} lead={texts.lead}>
      <LoadedList of={useList(`/${id}/dataReads`)} empty={texts.none}>
        {(items) => (
          <Table
            label={texts.title}
            items={byDay(items)}
            columns={[
              [common.day, (read) => <Day {...read} />],
              [common.module, ({ moduleName }) => moduleName],
              [texts.what, words],
            ]}
            sentence={(read) => (
              <>
                <Day {...read} />
                <div>{texts.sentence(read.moduleName, words(read))}</div>
              </>
            )}
          />
        )}
      </LoadedList>
    </Section>
  );

  function Day({ day, isFirst }: DayRead) {
    return isFirst ? <b>{format.utcDay(day)}</b> : <span class="quiet">{format.utcDay(day)}</span>;
  }
}

/** What a module read on a day. */
interface DayRead {
  readonly day: string;
  /** Whether it is the first row of the day. */
  readonly isFirst: boolean;
  readonly moduleName: string;
  readonly kinds: readonly DataRead['kind'][];
}

/** One row for each day and module. */
function byDay(reads: readonly DataRead[]): readonly DayRead[] {
  const rows = new Map<string, Omit<DayRead, 'isFirst'>>();
  for (const { day, moduleId, moduleName, kind } of reads) {
    const key = `${day} ${moduleId}`;
    const kinds = [...(rows.get(key)?.kinds ?? []), kind].toSorted();
    rows.set(key, { day, moduleName: moduleName ?? moduleId, kinds });
  }
  return [...rows.values()].map((row, index, all) => ({ ...row, isFirst: all[index - 1]?.day !== row.day }));
}
