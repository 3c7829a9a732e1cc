import type { ModuleImport } from './answers.ts';
import { callApi } from './call-api.ts';
import { hasSessionEnded } from './ended-session.ts';

const POLL_MS = 2_000;

/** Whether nothing more will happen to an import, unless an operator tries it again. */
export function hasEnded({ status }: Pick<ModuleImport, 'status'>): boolean {
  return status !== 'queued' && status !== 'running';
}

/**
 * Tells an import's changes until it has ended: by its event stream, and by asking whenever the stream is not
 * open. Gives a function that stops it.
 */
export function watchImport(first: ModuleImport, onChange: (changed: ModuleImport) => void): () => void {
  const path = `/${first.organizationId}/imports/${first.importId}`;
  const source = new EventSource(`/portal/api${path}/events`);
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    clearInterval(timer);
    source.close();
  };
  const tell = (changed: ModuleImport) => {
    if (isStopped) return;
    if (hasEnded(changed)) stop();
    onChange(changed);
  };
  source.addEventListener('import', ({ data }) => {
    tell(JSON.parse(String(data)) as ModuleImport);
  });
  const timer = setInterval(() => {
    // A poll that fails is followed by the next.
    if (source.readyState !== EventSource.OPEN && !hasSessionEnded())
      void callApi<ModuleImport>('GET', path).then(tell, () => undefined);
  }, POLL_MS);
  return stop;
}
