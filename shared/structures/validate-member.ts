import { Ajv, type ValidateFunction } from 'ajv';
import { STRUCTURE_MEMBERS, type MemberSchema, type StructureKind } from './structure.ts';
import { isCountry, isPlantingTime, isTimeZone } from './text-rules.ts';

// One issue for each member: with all of them a list of a million wrong elements would fill the memory.
const ajv = new Ajv({
  allowUnionTypes: true,
  formats: { country: isCountry, 'time-zone': isTimeZone, planting: isPlantingTime },
});

interface MemberRule {
  readonly schema: MemberSchema;
  readonly fits: ValidateFunction;
}

const RULES: ReadonlyMap<string, MemberRule> = new Map(
  Object.entries(STRUCTURE_MEMBERS).flatMap(([kind, members]) =>
    Object.entries<MemberSchema>(members).map(([name, schema]) => [
      `${kind}.${name}`,
      { schema, fits: ajv.compile(schema) },
    ]),
  ),
);

/** What is wrong with the value of a member: null when it is valid, undefined when there is no such member. */
export function memberIssue(
  kind: StructureKind,
  name: string,
  value: unknown,
): { readonly within: string; readonly detail: string } | null | undefined {
  const rule = RULES.get(`${kind}.${name}`);
  if (rule === undefined) return undefined;
  if (rule.fits(value)) return null;
  const within = rule.fits.errors?.[0]?.instancePath ?? '';
  return { within, detail: `${name} must be ${rule.schema.description}.` };
}
