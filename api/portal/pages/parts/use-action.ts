import { useState } from 'preact/hooks';

/** Something that a press of a button does. */
export interface Action<Argument> {
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Never rejects: what went wrong is in `error`. */
  run(argument: Argument): Promise<void>;
}

/** Runs a call once at a time, and keeps what went wrong for the page to show. */
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
