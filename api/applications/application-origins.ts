import { LOCAL_DOMAIN } from '../../shared/config/local-domain.ts';
import { isGuid } from '../../shared/package/schema/schema-parts.ts';

/** The origins without `APPS_ORIGIN`, to which the port is added. */
export const LOCAL_ORIGINS = `http://*.${LOCAL_DOMAIN}`;

/** The origin of a module's application. `origins` has `*` in place of the module's ID: `https://*.apps.example.com`. */
export function applicationOrigin(origins: string, moduleId: string): string {
  return origins.replace('*', moduleId);
}

/** The module whose origin the header Host names, in lower case; null: it names none. */
export function moduleOfHost(origins: string, host: string | undefined): string | null {
  const [label = '', ...domain] = (host ?? '').toLowerCase().replace(/:\d+$/, '').split('.');
  const isOurs = `*.${domain.join('.')}` === new URL(origins).hostname;
  return isOurs && isGuid(label) ? label : null;
}
