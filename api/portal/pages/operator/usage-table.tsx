import { LoadedList } from '../parts/loaded.tsx';
import { Table } from '../parts/table.tsx';
import { useList } from '../server/use-resource.ts';
import { useFormats } from '../texts/formats.ts';
import { useTexts } from '../texts/language.ts';

/** From this part of its quota on, an organization's bar has another colour. */
const NEARLY_FULL = 0.9;

/** What organizations store, most bytes first, as bars of one scale. */
export function UsageTable() {
  const { usage } = useTexts().operator;
  const format = useFormats();
  const list = useList('/operations/usage?limit=20');
  return (
    <section>
      <div class="section-head">
        <h2>{usage.title}</h2>
      </div>
      <LoadedList of={list} empty={usage.none}>
        {(items) => (
          <Table
            label={usage.title}
            columns={[usage.organization, usage.stored, usage.modules, usage.revisions, usage.lastDay]}
          >
            {items.map((item) => (
              <tr key={item.organizationId}>
                <th scope="row">{item.organizationName}</th>
                <td>
                  <Bar {...item} largestBytes={items[0]?.storedBytes ?? 0} />
                </td>
                <td>{format.number(item.modules)}</td>
                <td>{format.number(item.revisions)}</td>
                <td>{format.number(item.importsLastDay)}</td>
              </tr>
            ))}
          </Table>
        )}
      </LoadedList>
    </section>
  );
}

interface BarProps {
  readonly storedBytes: number;
  readonly maxStoredBytes: number;
  /** The longest bar of the table. */
  readonly largestBytes: number;
}

function Bar({ storedBytes, maxStoredBytes, largestBytes }: BarProps) {
  const { usage } = useTexts().operator;
  const format = useFormats();
  const share = storedBytes / maxStoredBytes;
  return (
    <>
      <progress
        class={share >= NEARLY_FULL ? 'usage nearly-full' : 'usage'}
        max={Math.max(1, largestBytes)}
        value={storedBytes}
        aria-hidden="true"
      />
      <small>
        {format.bytes(storedBytes)} · {usage.ofQuota(format.percent(share))}
      </small>
    </>
  );
}
