interface TabsProps {
  readonly label: string;
  readonly tabs: readonly { readonly href: string; readonly name: string }[];
  /** The address of the tab that is shown. */
  readonly current: string;
}

/** Tabs that are pages of their own: each has an address, and Back goes to the one before. */
export function Tabs({ label, tabs, current }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ href, name }) => (
        <a key={href} href={href} aria-current={href === current ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}
