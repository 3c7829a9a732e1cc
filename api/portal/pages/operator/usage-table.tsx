import { LoadedList } from '../parts/loaded.tsx';
import { Table } from '../parts/table.tsx';
import { useList } from '../server/use-resource.ts';
import { useFormats } from '../texts/formats.ts';
import { useTexts } from '../texts/language.ts';

/** From this part of its quota on, an organization's bar has another colour. */
const NEARLY_FULL = 0.9;

/** What organizations store, most bytes first. A bar shows the used part of the organization's quota. */
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
                  <Bar {...item} />
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
}

function Bar({ storedBytes, maxStoredBytes }: BarProps) {
  const { usage } = useTexts().operator;
  const format = useFormats();
  const share = storedBytes / maxStoredBytes;
  return (
    <>
      <progress
        class={share >= NEARLY_FULL ? 'usage nearly-full' : 'usage'}
        max={1}
        value={share}
        aria-hidden="true"
      />
      <small>
        {format.bytes(storedBytes)} · {usage.ofQuota(format.percent(share))}
      </small>
    </>
  );
}
