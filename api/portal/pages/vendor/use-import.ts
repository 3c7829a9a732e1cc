import { useEffect, useRef, useState } from 'preact/hooks';
import type { ModuleImport } from '../server/api-types.ts';
import { uploadPackage, type Upload } from '../server/upload-package.ts';
import { hasEnded, watchImport } from '../server/watch-import.ts';

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
