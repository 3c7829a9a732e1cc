import type { ComponentChildren } from 'preact';

/** Names and values, one below the other; values that are null are left out. */
export function Facts({
  of,
}: {
  readonly of: readonly (readonly [name: string, value: ComponentChildren])[];
}) {
  const shown = of.filter(([, value]) => value !== null && value !== undefined && value !== '');
  return (
    <dl class="facts">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
