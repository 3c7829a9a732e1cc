import {
  bodyCheck,
  parseBody,
  type BodyIssue,
  type BodyRefusal,
  type ValidatedBody,
} from './http/request/validate-body.ts';
import { structureTasks } from './structures/structure-tasks.ts';

/** Result values of a body that come back from a thread: each costs the event loop part of a microsecond. */
const MAX_VALUES = 50_000;

const TOO_MANY_VALUES = { refusal: `The body has more than ${MAX_VALUES} values. Send it in several parts.` };

/** The rest of an item's issues follow when it is sent again. */
const MAX_ISSUES_OF_ITEM = 10;

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

/** The tasks with JSON bodies: small ones on the event loop, others in a thread. */
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
      return 'values' in checked && checked.values > MAX_VALUES ? TOO_MANY_VALUES : checked;
    },
    validateItems,
  };
}

interface ItemsTask {
  readonly bytes: Uint8Array;
  /** The member with the list. */
  readonly name: string;
  /** For the body with any items, and for one item. */
  readonly schema: string;
  readonly itemSchema: string;
}

type CheckedItem = { readonly value: unknown } | { readonly issues: readonly BodyIssue[] };

/** Parses a body with a list, and validates each item by itself; a body that is wrong elsewhere is refused. */
function validateItems({
  bytes,
  name,
  schema,
  itemSchema,
}: ItemsTask): { readonly items: readonly CheckedItem[] } | BodyRefusal {
  const parsed = parseBody(bytes);
  if ('refusal' in parsed) return parsed;
  const list = listIn(parsed.value, name);
  const checkedAround = checkOf(schema)(list === null ? parsed.value : list.around);
  if (!('value' in checkedAround)) return checkedAround;
  const checked = (list?.items ?? []).map((item) => checkOf(itemSchema)(item));
  const values = checked.reduce((sum, each) => sum + ('values' in each ? each.values : 0), 0);
  if (values > MAX_VALUES) return TOO_MANY_VALUES;
  return { items: checked.map((each, index) => itemOf(each, `/${name}/${index}`)) };
}

/** The list under a name in a body, and the body with nothing in the list; null where there is no list. */
function listIn(body: unknown, name: string) {
  if (typeof body !== 'object' || body === null) return null;
  const items: unknown = Object.getOwnPropertyDescriptor(body, name)?.value;
  if (!Array.isArray(items)) return null;
  return { items: items as readonly unknown[], around: { ...body, [name]: items.map(() => null) } };
}

function itemOf(checked: ValidatedBody<unknown>, pointer: string): CheckedItem {
  if ('value' in checked) return { value: checked.value };
  if ('refusal' in checked) return { issues: [{ pointer, detail: checked.refusal }] };
  const issues = checked.issues.slice(0, MAX_ISSUES_OF_ITEM);
  return { issues: issues.map((each) => ({ ...each, pointer: pointer + (each.pointer ?? '') })) };
}

/** The tasks by name. */
export type JsonTasks = ReturnType<typeof jsonTasks>;
