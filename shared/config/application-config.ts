import { isOrigin, readOrigin } from './origin.ts';
import type { SettingsReader } from './settings-reader.ts';

/** The origin that serves the web applications of modules. */
export interface ApplicationConfig {
  /** 0 picks a free port. */
  readonly port: number;
  /** The origin that browsers use; null: the one that the server listens on. */
  readonly origin: string | null;
  /** Origins of pages that may read the files, beside frames without an origin. */
  readonly hostOrigins: readonly string[];
}

const OTHER_HOST =
  'the code of vendors must not run on an origin that has the pages and calls of this service. Give it a host name of its own';

/** Reads where applications are served; null: nowhere. */
export function readApplications(
  read: SettingsReader,
  { publicUrl }: { readonly publicUrl: string | null },
): ApplicationConfig | null {
  const isOn = read.optional('APPS_PORT') !== null;
  const port = read.integer('APPS_PORT', 0, { min: 0, max: 65_535 });
  const origin = readOrigin(read, 'APPS_ORIGIN', 'https://apps.example.com', OTHER_HOST);
  const hostOrigins = read.list('APP_HOST_ORIGINS');
  for (const each of hostOrigins)
    if (!isOrigin(each))
      read.addIssue(
        'APP_HOST_ORIGINS',
        `has ${JSON.stringify(each)}, which is not an origin such as https://farm.example.com`,
      );
  if (origin !== null && origin === publicUrl)
    read.addIssue('APPS_ORIGIN', `must differ from PUBLIC_URL: ${OTHER_HOST}`);
  // Settings may be shared with processes that serve none, such as workers.
  return isOn ? { port, origin, hostOrigins } : null;
}
