import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import { GUID_PATTERN } from '../package/schema/schema-parts.ts';
import type { StructureKind } from './structure.ts';
import { isCountry, isPlantingTime, isTimeZone } from './text-rules.ts';

/** A schema whose description ends the sentence “… must be”. */
interface MemberSchema {
  readonly description: string;
  readonly [keyword: string]: unknown;
}

const MAX_TEXT = 200;

const givenText = { type: 'string', minLength: 1, maxLength: MAX_TEXT, pattern: '\\S' } as const;
const text: MemberSchema = {
  ...givenText,
  type: ['string', 'null'],
  description: `text of 1 to ${MAX_TEXT} characters that is not blank, or null`,
};

/** Limits far above anything on Earth: they catch a wrong unit, and numbers that lose their digits. */
function amount(maximum: number): MemberSchema {
  return {
    type: ['number', 'null'],
    minimum: 0,
    maximum,
    description: `a number from 0 to ${maximum}, or null`,
  };
}

function choice(...values: readonly string[]): MemberSchema {
  return { enum: [...values, null], description: `one of ${values.join(', ')}, or null` };
}

function formatted(format: string, description: string): MemberSchema {
  return { type: ['string', 'null'], format, description: `${description}, or null` };
}

function list(maxItems: number, items: object, description: string): MemberSchema {
  return { type: ['array', 'null'], maxItems, items, description: `${description}, at most ${maxItems}` };
}

const area = amount(1e14);

const COMMON = {
  name: { ...givenText, description: `text of 1 to ${MAX_TEXT} characters that is not blank` },
  code: text,
  status: { enum: ['active', 'archived'], description: 'active or archived' },
  externalIds: list(
    50,
    {
      type: 'object',
      required: ['source', 'id'],
      additionalProperties: false,
      properties: { source: givenText, id: givenText },
    },
    'an array of objects with source and id',
  ),
} satisfies Record<string, MemberSchema>;

/** The schemas of what can be written of each kind beside its ID, its parents and its geometries. */
export const STRUCTURE_MEMBERS: Readonly<Record<StructureKind, Readonly<Record<string, MemberSchema>>>> = {
  farm: {
    ...COMMON,
    countryCode: formatted('country', 'an ISO 3166-1 alpha-2 code in upper case, such as NL'),
    timeZone: formatted('time-zone', 'a name of the IANA time zone database, such as Europe/Amsterdam'),
    areaM2: area,
  },
  field: { ...COMMON, areaM2: area, arableAreaM2: area, soilTextureType: text },
  block: {
    ...COMMON,
    areaM2: area,
    cropId: text,
    plantedAt: formatted('planting', 'a day as YYYY-MM-DD or a timestamp with its offset'),
    rowSpacingM: amount(1e5),
    plantSpacingM: amount(1e5),
    irrigationSystemType: text,
    irrigationStationIds: list(1_000, { type: 'string', pattern: GUID_PATTERN }, 'an array of GUIDs'),
  },
  irrigationStation: {
    ...COMMON,
    kind: choice('pump', 'valve', 'filter', 'pivot', 'controller'),
    waterSource: text,
    maxFlowM3PerHour: amount(1e9),
    nominalPressureKPa: amount(1e9),
  },
};

// One fault a member: with all of them a list of a million wrong elements would fill the memory.
const ajv = new Ajv({
  allowUnionTypes: true,
  formats: { country: isCountry, 'time-zone': isTimeZone, planting: isPlantingTime },
});

const CHECKS = new Map(
  Object.entries(STRUCTURE_MEMBERS).flatMap(([kind, members]) =>
    Object.entries(members).map(([name, schema]) => [
      `${kind}.${name}`,
      { schema, check: ajv.compile(schema) },
    ]),
  ),
) as ReadonlyMap<string, { readonly schema: MemberSchema; readonly check: ValidateFunction }>;

/** What is wrong with the value of a member: null when nothing is, undefined when there is no such member. */
export function memberFault(
  kind: StructureKind,
  name: string,
  value: unknown,
): { readonly within: string; readonly detail: string } | null | undefined {
  const member = CHECKS.get(`${kind}.${name}`);
  if (member === undefined) return undefined;
  if (member.check(value)) return null;
  const within = member.check.errors?.[0]?.instancePath ?? '';
  return { within, detail: `${name} must be ${member.schema.description}.` };
}
