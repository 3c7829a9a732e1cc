import { bodyCheck, parseBody } from './http/validate-body.ts';
import type { ValidatedBody } from './http/validate-body.ts';
import { structureTasks } from './structures/structure-tasks.ts';

/** Result values of a body that come back from a thread: each costs the event loop part of a microsecond. */
const MAX_VALUES = 50_000;

type Check = (body: unknown) => ValidatedBody<unknown>;

/** Compiled checks by the text of their schema: a thread has no other way to know a schema. */
const checks = new Map<string, Check>();

/** The check of bodies against a schema. @throws Error if the schema has a format that nothing checks. */
export function checkOf(schema: string): Check {
  const known = checks.get(schema);
  if (known !== undefined) return known;
  const check = bodyCheck(JSON.parse(schema) as object);
  checks.set(schema, check);
  return check;
}

/** What is done with JSON bodies, on the event loop where they are small, otherwise in a thread. */
export function jsonTasks() {
  return {
    ...structureTasks(),
    /** Parses a body and validates it against a schema. */
    validateBody({
      bytes,
      schema,
    }: {
      readonly bytes: Uint8Array;
      readonly schema: string;
    }): ValidatedBody<unknown> {
      const parsed = parseBody(bytes);
      if ('refusal' in parsed) return parsed;
      const checked = checkOf(schema)(parsed.value);
      if (!('values' in checked) || checked.values <= MAX_VALUES) return checked;
      return { refusal: `The body has more than ${MAX_VALUES} values. Send it in several parts.` };
    },
  };
}

/** The tasks by name. */
export type JsonTasks = ReturnType<typeof jsonTasks>;
