import { useState } from 'preact/hooks';

/** What a button does. */
export interface Action<Argument> {
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Never rejects: a failure is in `error`. */
  run(argument: Argument): Promise<void>;
}

/** Runs one call at a time, and keeps its error for the page to show. */
export function useAction<Argument = void>(act: (argument: Argument) => Promise<void>): Action<Argument> {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  return {
    isBusy,
    error,
    async run(argument) {
      if (isBusy) return;
      setBusy(true);
      setError(null);
      try {
        await act(argument);
      } catch (caught) {
        setError(caught);
      } finally {
        setBusy(false);
      }
    },
  };
}
