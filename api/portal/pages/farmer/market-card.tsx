import { Badge } from '../parts/badge.tsx';
import { useCatalogue, useModuleName } from '../parts/catalogue.ts';
import { Logo } from '../parts/logo.tsx';
import type { AvailableModule, Installation } from '../server/answers.ts';
import { useTexts } from '../texts/language.ts';

interface MarketCardProps {
  readonly module: AvailableModule;
  /** Null: not installed. */
  readonly installation: Installation | null;
  readonly isAdmin: boolean;
  readonly onOpen: (dialog: 'install' | 'uninstall') => void;
}

/** A module that a farmer can have or has. */
export function MarketCard({ module, installation, isAdmin, onOpen }: MarketCardProps) {
  const { farmer, vendor } = useTexts();
  const texts = farmer.market;
  const name = useModuleName()(module.translations);
  return (
    <li class="card">
      <div class="card-head">
        <Logo name={name} logos={module.logos} />
        <div>
          <h2>{name}</h2>
          <p class="quiet">
            {vendor.revision} {module.revision}{' '}
            {installation !== null && <Badge tone="good">{texts.installed}</Badge>}
          </p>
        </div>
      </div>
      <DataAreas module={module} installation={installation} />
      {installation?.consentPending === true && <p class="note note-warn">{texts.pending}</p>}
      {isAdmin && (
        <div class="card-foot">
          <button
            type="button"
            class={installation === null ? 'small' : 'secondary outline small'}
            aria-label={`${installation === null ? texts.install : texts.change}: ${name}`}
            onClick={() => {
              onOpen('install');
            }}
          >
            {installation === null ? texts.install : texts.change}
          </button>
          {installation !== null && (
            <button
              type="button"
              class="secondary outline small"
              aria-label={`${texts.uninstall}: ${name}`}
              onClick={() => {
                onOpen('uninstall');
              }}
            >
              {texts.uninstall}
            </button>
          )}
        </div>
      )}
    </li>
  );
}

function DataAreas({ module, installation }: Pick<MarketCardProps, 'module' | 'installation'>) {
  const texts = useTexts().farmer.market;
  const areas = useCatalogue('dataAreas');
  const ids = installation?.acceptedDataAreaIds ?? module.dataAreaIds;
  if (ids.length === 0) return <p class="quiet">{texts.nothing}</p>;
  return (
    <div class="areas">
      <p class="quiet">{installation === null ? texts.wants : texts.opens}</p>
      <ul>
        {ids.map((id) => (
          <li key={id}>
            <strong>{areas.get(id)?.value ?? id}</strong>
            <span class="quiet">{areas.get(id)?.description}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
