import type { ModuleImport } from './answers.ts';
import { CallError, goToSignIn, refusal } from './call-api.ts';

/** An upload on its way. */
export interface Upload {
  readonly accepted: Promise<ModuleImport>;
  abort(): void;
}

interface UploadRequest {
  readonly organizationId: string;
  readonly file: File;
  readonly validateOnly: boolean;
  readonly onProgress: (sentBytes: number) => void;
}

/** Uploads a package; the import goes on after the answer. `fetch` cannot tell how much of a body is sent. */
export function uploadPackage({ organizationId, file, validateOnly, onProgress }: UploadRequest): Upload {
  const request = new XMLHttpRequest();
  const query = validateOnly ? '?validateOnly=true' : '';
  request.open('POST', `/portal/api/${organizationId}/ImportModuleAsync${query}`);
  request.setRequestHeader('Prefer', 'respond-async');
  request.upload.addEventListener('progress', ({ loaded }) => {
    onProgress(Math.min(loaded, file.size));
  });
  const accepted = new Promise<ModuleImport>((resolve, reject) => {
    request.addEventListener('load', () => {
      const { status, responseText } = request;
      if (status === 401) goToSignIn();
      if (status < 300) resolve(JSON.parse(responseText) as ModuleImport);
      else reject(refusal(status, responseText));
    });
    for (const kind of ['error', 'abort', 'timeout'])
      request.addEventListener(kind, () => {
        reject(new CallError(0, ''));
      });
  });
  const form = new FormData();
  form.set('file', file);
  request.send(form);
  return {
    accepted,
    abort() {
      request.abort();
    },
  };
}
