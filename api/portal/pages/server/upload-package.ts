import type { ModuleImport } from './api-types.ts';
import { CallError, callError, UNAUTHORIZED } from './call-api.ts';
import { untilSignedIn } from './ended-session.ts';

/** An upload in progress. */
export interface Upload {
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
export function uploadPackage(upload: UploadRequest): Upload {
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
