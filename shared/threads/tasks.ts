/** The tasks of a thread, by name. The tasks of one session share its state; each has one input and one result. */
export type Tasks<Of> = { readonly [Name in keyof Of]: (input: never) => unknown };

/** The input of a task. */
export type TaskInput<Task> = Task extends (input: infer Input) => unknown ? Input : never;

/** The result of a task, once it is there. */
export type TaskResult<Task> = Task extends (input: never) => infer Result ? Awaited<Result> : never;

/** Runs the tasks of one session one after the other, here or in a thread. */
export interface TaskRunner<Of extends Tasks<Of>> {
  run<Name extends keyof Of & string>(name: Name, input: TaskInput<Of[Name]>): Promise<TaskResult<Of[Name]>>;
}

/** Runs tasks on the event loop of the caller: for input so small that it cannot block it. */
export function runHere<Of extends Tasks<Of>>(tasks: Of): TaskRunner<Of> {
  return {
    async run(name, input) {
      // The type of a member does not follow from the generic name; the signature of `run` has checked both.
      const task = tasks[name] as unknown as (input: unknown) => unknown;
      return (await task(input)) as TaskResult<Of[typeof name]>;
    },
  };
}

/** A message of the pool to a thread. */
export type ToThread =
  | { readonly kind: 'start' }
  | { readonly kind: 'run'; readonly name: string; readonly input: unknown }
  | { readonly kind: 'end' };

/** The first message of a thread: its `threadNumber`. */
export interface StartedThread {
  readonly number: number | null;
}

/** A thread's answer to a task, and the processor time that it took. */
export type TaskAnswer = ({ readonly result: unknown } | { readonly error: Error }) & {
  readonly tookMs: number;
};

/** A message of a thread to the pool. */
export type FromThread = StartedThread | TaskAnswer;
