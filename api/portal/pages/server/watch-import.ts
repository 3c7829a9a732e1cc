import type { ModuleImport } from './api-types.ts';
import { callApi } from './call-api.ts';
import { hasSessionEnded } from './ended-session.ts';

const POLL_MS = 2_000;

/** Whether an import has ended; only an operator can retry it then. */
export function hasEnded({ status }: Pick<ModuleImport, 'status'>): boolean {
  return status !== 'queued' && status !== 'running';
}

/**
 * Reports an import's changes until it has ended: from its event stream, and by polling while the stream is not open.
 * Returns a function that stops it.
 */
export function watchImport(first: ModuleImport, onChange: (changed: ModuleImport) => void): () => void {
  const path = `/${first.organizationId}/imports/${first.importId}` as const;
  const source = new EventSource(`/portal/api${path}/events`);
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    clearInterval(timer);
    source.close();
  };
  const report = (changed: ModuleImport) => {
    if (isStopped) return;
    if (hasEnded(changed)) stop();
    onChange(changed);
  };
  source.addEventListener('import', ({ data }) => report(JSON.parse(String(data)) as ModuleImport));
  const timer = setInterval(() => {
    // If a poll fails, the next one follows.
    if (source.readyState !== EventSource.OPEN && !hasSessionEnded())
      void callApi('GET', path).then(report, () => undefined);
  }, POLL_MS);
  return stop;
}
