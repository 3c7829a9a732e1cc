import type { CheckedSettings } from '../../shared/config/check-settings.ts';
import type { Config } from '../../shared/config/config.ts';
import { probeDatabase } from '../../shared/db/probe-database.ts';
import { probeEncryption } from '../../shared/db/probe-encryption.ts';
import { connectionNeeds } from '../../shared/process/connection-needs.ts';
import { finding, type ProbeStep } from '../../shared/process/probe-step.ts';
import { probeQueue } from '../../shared/queue/probe-queue.ts';
import { probeStorage } from '../../shared/storage/probe-storage.ts';
import { probeIssuer } from '../auth/probe-issuer.ts';
import type { Report } from './print-report.ts';

/** The parts that have no default but those of `npm start`. */
export interface Addresses {
  readonly databaseUrl: string;
  readonly issuer: string;
}

/** The planned number of processes. */
export interface Processes {
  readonly api: number;
  readonly workers: number;
}

/** The addresses of the parts; null: one is not set. */
export function addressesOf(config: Config | null): Addresses | null {
  const { url = null } = config?.database ?? {};
  const { issuer = null } = config?.auth ?? {};
  return url === null || issuer === null ? null : { databaseUrl: url, issuer };
}

/** Errors and likely errors in the settings. */
export function probeSettings({ config, issues, misspelt }: CheckedSettings): readonly ProbeStep[] {
  const correct = 'Correct it; .env.example explains every setting. Then run this again to try the parts.';
  const lacking = 'DATABASE_URL and AUTH_ISSUER must be set: only npm start has parts of its own';
  const all = config !== null && addressesOf(config) === null ? [lacking] : issues;
  return [
    ...all.map((issue) => ({ step: 'values', ...finding(false, `${issue}.`, correct) })),
    ...misspelt.map(([name, likely]) => {
      const advice = `If ${likely} is meant, rename it.`;
      return { step: name, ...finding(false, 'this is not a setting and has no effect', advice, true) };
    }),
  ];
}

/** Whether browsers let the applications of modules store data in frames of the portal; nothing is known without a domain. */
function probeApplications({
  applications: { origins },
  server: { publicUrl },
}: Config): readonly ProbeStep[] {
  if (origins === null || publicUrl === null) return [];
  const portal = new URL(publicUrl).hostname;
  const names = new URL(origins).hostname;
  // Without a list of the registries: applications are below the portal's name or below its parent.
  const isOneSite = [portal, portal.replace(/^[^.]+\./, '')].some(
    (site) => site.includes('.') && names.endsWith(`.${site}`),
  );
  const detail = `the portal is at ${portal}, applications are at ${names}`;
  const advice =
    'Browsers refuse these applications their storage in frames of the portal. Choose names below the domain of PUBLIC_URL for APPS_ORIGIN.';
  return [{ step: 'one site with the portal', ...finding(isOneSite, detail, advice, true) }];
}

/** Tries every part for real, all at the same time. */
export async function probeParts(
  config: Config,
  { databaseUrl, issuer }: Addresses,
  processes: Processes,
): Promise<Report> {
  const { listenUrl } = config.database;
  const needed = {
    connections: connectionNeeds(config, processes),
    processes: `${processes.api} of the API and ${processes.workers} of the worker`,
  };
  const [database, encryption, queue, storage, ofIssuer] = await Promise.all([
    probeDatabase({ url: databaseUrl, listenUrl }, needed),
    probeEncryption(config, databaseUrl),
    probeQueue({ redisUrl: config.redisUrl, databaseUrl }),
    probeStorage(config),
    probeIssuer(issuer, config),
  ]);
  return { database, encryption, queue, storage, issuer: ofIssuer, applications: probeApplications(config) };
}
