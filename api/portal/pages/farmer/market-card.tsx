import { useOrganization } from '../organization.ts';
import { Badge } from '../parts/badge.tsx';
import { useCatalogue, useModuleName } from '../parts/catalogue.ts';
import { Logo } from '../parts/logo.tsx';
import type { Schemas } from '../server/api-types.ts';
import { useTexts } from '../texts/language.ts';

export type OfferedModule = Schemas['AvailableModuleSummary'];

export type MarketDialog = 'install' | 'uninstall';

interface MarketCardProps {
  readonly module: OfferedModule;
  /** Null: not installed. */
  readonly installation: Schemas['Installation'] | null;
  readonly onOpen: (dialog: MarketDialog) => void;
}

/** A module that a farmer can install or has installed. */
export function MarketCard({ module, installation, onOpen }: MarketCardProps) {
  const { farmer, vendor } = useTexts();
  const { isAdmin } = useOrganization();
  const texts = farmer.market;
  const name = useModuleName()(module.translations);
  const isInstalled = installation !== null;
  const actions: readonly (readonly [MarketDialog, string])[] = isInstalled
    ? [
        ['install', texts.change],
        ['uninstall', texts.uninstall],
      ]
    : [['install', texts.install]];
  return (
    <li class="card">
      <div class="card-head">
        <Logo name={name} logos={module.logos} />
        <div>
          <h2>{name}</h2>
          <p class="quiet">
            {vendor.revision} {module.revision} {isInstalled && <Badge tone="good">{texts.installed}</Badge>}
          </p>
        </div>
      </div>
      <DataAreas module={module} installation={installation} />
      {installation?.consentPending === true && <p class="note warn">{texts.pending}</p>}
      {isAdmin && (
        <div class="card-foot">
          {actions.map(([dialog, text]) => (
            <button
              key={text}
              type="button"
              class={isInstalled ? 'secondary outline small' : 'small'}
              aria-label={`${text}: ${name}`}
              onClick={() => {
                onOpen(dialog);
              }}
            >
              {text}
            </button>
          ))}
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
      <p class="quiet">{installation === null ? texts.requests : texts.reads}</p>
      <ul class="plain">
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
