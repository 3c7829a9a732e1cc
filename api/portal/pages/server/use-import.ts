import { useEffect, useRef, useState } from 'preact/hooks';
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
}

/** The state of an import from this page. */
export type ImportState =
  | { readonly at: 'idle' }
  | { readonly at: 'sending'; readonly file: File; readonly sentBytes: number }
  | { readonly at: 'server'; readonly file: File; readonly item: ModuleImport }
  | { readonly at: 'refused'; readonly file: File; readonly error: unknown };

/** Runs one import at a time: the upload, then the server's steps until it has ended. */
export function useImport(organizationId: string, onEnd: (item: ModuleImport) => void) {
  const [state, setState] = useState<ImportState>({ at: 'idle' });
  const upload = useRef<Upload | null>(null);
  const stopWatching = useRef<(() => void) | null>(null);
  // Leaving the page aborts the upload; an import that the server has received continues.
  useEffect(
    () => () => {
      upload.current?.abort();
      stopWatching.current?.();
    },
    [],
  );
  const follow = (file: File, item: ModuleImport) => {
    setState({ at: 'server', file, item });
    if (hasEnded(item)) onEnd(item);
  };
  const start = async ({ file, moduleId, validateOnly }: PackageUpload) => {
    setState({ at: 'sending', file, sentBytes: 0 });
    const onProgress = (sentBytes: number) =>
      setState((before) => (before.at === 'sending' ? { at: 'sending', file, sentBytes } : before));
    try {
      upload.current = uploadPackage({ organizationId, file, moduleId, validateOnly, onProgress });
      const accepted = await upload.current.accepted;
      follow(file, accepted);
      if (hasEnded(accepted)) return;
      stopWatching.current = watchImport(accepted, (item) => follow(file, item));
    } catch (error) {
      setState({ at: 'refused', file, error });
    }
  };
  return {
    state,
    start,
    reset() {
      setState({ at: 'idle' });
    },
  };
}

/** An upload in progress. */
interface Upload {
  readonly accepted: Promise<ModuleImport>;
  abort(): void;
}

interface UploadRequest {
  readonly organizationId: string;
  readonly file: File;
  /** The module that the package updates; null: the one that it names, or a new one. */
  readonly moduleId: string | null;
  readonly validateOnly: boolean;
  readonly onProgress: (sentBytes: number) => void;
}

/** Uploads a package, if need be again after another sign-in. The answer comes before the import has ended. */
function uploadPackage(upload: UploadRequest): Upload {
  let request = new XMLHttpRequest();
  let isAborted = false;
  const send = async (): Promise<ModuleImport> => {
    const { status, responseText } = await sendForm(request, upload);
    if (status < 300) return JSON.parse(responseText) as ModuleImport;
    if (status !== UNAUTHORIZED) throw callError(status, responseText);
    await untilSignedIn();
    if (isAborted) throw new CallError(0, '');
    request = new XMLHttpRequest();
    return send();
  };
  return {
    accepted: send(),
    abort() {
      isAborted = true;
      request.abort();
    },
  };
}

/** `fetch` does not report how much of a body it has sent. */
async function sendForm(
  request: XMLHttpRequest,
  { organizationId, file, moduleId, validateOnly, onProgress }: UploadRequest,
): Promise<XMLHttpRequest> {
  const query = new URLSearchParams({
    ...(validateOnly && { validateOnly: 'true' }),
    ...(moduleId !== null && { moduleId }),
  });
  request.open('POST', `/portal/api/${organizationId}/ImportModuleAsync?${query}`);
  request.setRequestHeader('Prefer', 'respond-async');
  request.upload.addEventListener('progress', ({ loaded }) => onProgress(Math.min(loaded, file.size)));
  const form = new FormData();
  form.set('file', file);
  return new Promise((resolve, reject) => {
    request.addEventListener('load', () => resolve(request));
    for (const kind of ['error', 'abort', 'timeout'])
      request.addEventListener(kind, () => reject(new CallError(0, '')));
    request.send(form);
  });
}

const POLL_MS = 2_000;

/** Whether an import has ended; only an operator can retry it then. */
export function hasEnded({ status }: Pick<ModuleImport, 'status'>): boolean {
  return status !== 'queued' && status !== 'running';
}

/**
 * Reports an import's changes until it has ended: from its event stream, and by polling while the stream is not open.
 * Returns a function that stops it.
 */
function watchImport(first: ModuleImport, onChange: (changed: ModuleImport) => void): () => void {
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
