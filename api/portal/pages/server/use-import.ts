import { useEffect, useState } from 'preact/hooks';
import {
  callApi,
  callError,
  CallError,
  hasSessionEnded,
  type ModuleImport,
  UNAUTHORIZED,
  untilSignedIn,
} from './call-api.ts';

/** A package to be imported; the module that it updates, or null: the one that it names, or a new one. */
export interface PackageUpload {
  readonly file: File;
  readonly moduleId: string | null;
  readonly validateOnly: boolean;
  /** Whether the package may give the module another scope. */
  readonly renameScope?: boolean;
}

/** The state of an import from this page. */
export type ImportState =
  | { readonly at: 'idle' }
  | { readonly at: 'sending'; readonly file: File; readonly sentBytes: number }
  | {
      readonly at: 'server';
      readonly file: File;
      readonly upload: PackageUpload;
      readonly item: ModuleImport;
    }
  | { readonly at: 'refused'; readonly file: File; readonly error: unknown };

/** Runs one import at a time: the upload, then the server's steps until it has ended. */
export function useImport(organizationId: string, onEnded: () => void) {
  const [state, setState] = useState<ImportState>({ at: 'idle' });
  const [page] = useState(() => new AbortController());
  // Leaving the page aborts the upload; an import that the server has received continues.
  useEffect(() => () => page.abort(), []);
  const start = async (upload: PackageUpload) => {
    const { file } = upload;
    const follow = (item: ModuleImport) => {
      setState({ at: 'server', file, upload, item });
      if (hasEnded(item)) onEnded();
    };
    const onProgress = (sentBytes: number) =>
      setState((before) => (before.at === 'sending' ? { at: 'sending', file, sentBytes } : before));
    setState({ at: 'sending', file, sentBytes: 0 });
    try {
      const accepted = await uploadPackage({ ...upload, organizationId, onProgress, signal: page.signal });
      follow(accepted);
      if (!hasEnded(accepted)) watchImport(accepted, follow, page.signal);
    } catch (error) {
      setState({ at: 'refused', file, error });
    }
  };
  return { state, start, reset: () => setState({ at: 'idle' }) };
}

interface UploadRequest extends PackageUpload {
  readonly organizationId: string;
  readonly onProgress: (sentBytes: number) => void;
  readonly signal: AbortSignal;
}

/** Uploads a package, if need be again after another sign-in. The answer comes before the import has ended. */
async function uploadPackage(upload: UploadRequest): Promise<ModuleImport> {
  const { status, responseText } = await sendForm(upload);
  if (status < 300) return JSON.parse(responseText) as ModuleImport;
  if (status !== UNAUTHORIZED) throw callError(status, responseText);
  await untilSignedIn();
  upload.signal.throwIfAborted();
  return uploadPackage(upload);
}

/** `fetch` does not report how much of a body it has sent. */
async function sendForm(upload: UploadRequest): Promise<XMLHttpRequest> {
  const { organizationId, file, moduleId, validateOnly, renameScope, onProgress, signal } = upload;
  const request = new XMLHttpRequest();
  const query = new URLSearchParams({
    ...(validateOnly && { validateOnly: 'true' }),
    ...(moduleId !== null && { moduleId }),
    ...(renameScope && { renameScope: 'true' }),
  });
  request.open('POST', `/portal/api/${organizationId}/ImportModuleAsync?${query}`);
  request.setRequestHeader('Prefer', 'respond-async');
  request.upload.addEventListener('progress', ({ loaded }) => onProgress(Math.min(loaded, file.size)));
  const form = new FormData();
  form.set('file', file);
  signal.addEventListener('abort', () => request.abort());
  return new Promise((resolve, reject) => {
    request.addEventListener('load', () => resolve(request));
    for (const kind of ['error', 'abort', 'timeout'])
      request.addEventListener(kind, () => reject(new CallError(0)));
    request.send(form);
  });
}

const POLL_MS = 2_000;

/** Whether an import has ended; only an operator can retry it then. */
export function hasEnded({ status }: Pick<ModuleImport, 'status'>): boolean {
  return status !== 'queued' && status !== 'running';
}

/** Reports an import's changes until it has ended: from its event stream, and by polling while the stream is not open. */
function watchImport(
  first: ModuleImport,
  onChange: (changed: ModuleImport) => void,
  signal: AbortSignal,
): void {
  const path = `/${first.organizationId}/imports/${first.importId}` as const;
  const source = new EventSource(`/portal/api${path}/events`);
  const stop = () => {
    clearInterval(timer);
    source.close();
  };
  let hasStopped = false;
  const report = (changed: ModuleImport) => {
    if (hasStopped || signal.aborted) return;
    hasStopped = hasEnded(changed);
    if (hasStopped) stop();
    onChange(changed);
  };
  source.addEventListener('import', ({ data }) => report(JSON.parse(String(data)) as ModuleImport));
  const timer = setInterval(() => {
    // If a poll fails, the next one follows.
    if (source.readyState !== EventSource.OPEN && !hasSessionEnded())
      void callApi('GET', path).then(report, () => undefined);
  }, POLL_MS);
  signal.addEventListener('abort', stop);
}
