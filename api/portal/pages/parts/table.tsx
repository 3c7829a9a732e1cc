import type { ComponentChildren } from 'preact';

interface TableProps {
  readonly label: string;
  readonly columns: readonly string[];
  readonly children: ComponentChildren;
}

/** A table that scrolls by itself on a narrow page, with the keyboard too. */
export function Table({ label, columns, children }: TableProps) {
  return (
    <div class="table" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((each) => (
              <th key={each} scope="col">
                {each}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
