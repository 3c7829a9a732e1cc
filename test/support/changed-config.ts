import type { Config } from '../../shared/config/config.ts';

type Sections = Pick<
  Config,
  'server' | 'database' | 'imports' | 'sharing' | 'streams' | 'limits' | 'quotas' | 'retention'
>;

/** Limits that a test changes, by section of the configuration: no setting of the environment changes these. */
export type ConfigChanges = { readonly [Name in keyof Sections]?: Partial<Sections[Name]> };

/** A configuration with other limits. */
export function changedConfig(config: Config, changes: ConfigChanges): Config {
  return {
    ...config,
    server: { ...config.server, ...changes.server },
    database: { ...config.database, ...changes.database },
    imports: { ...config.imports, ...changes.imports },
    sharing: { ...config.sharing, ...changes.sharing },
    streams: { ...config.streams, ...changes.streams },
    limits: { ...config.limits, ...changes.limits },
    quotas: { ...config.quotas, ...changes.quotas },
    retention: { ...config.retention, ...changes.retention },
  };
}
