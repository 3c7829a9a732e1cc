import { Type, type TSchema } from 'typebox';
import { STRUCTURE_KINDS, STRUCTURE_MEMBERS, type StructureKind } from '../../shared/structures/structure.ts';
import {
  NAME,
  dateTime,
  guid,
  inputGuid,
  inputObject,
  keywordsOf,
  listOf,
  oneOf,
  orNull,
} from '../http/schema.ts';
import {
  GEOMETRY_MEMBERS,
  blockGeometry,
  type Members,
  described,
  externalIdText,
  kindText,
  textOf,
} from './structure-members.ts';
import { PARENTS, collectionType, featureType, stationId, titled } from './structure-schemas.ts';

/** A structure in a request's body. */
function input(kind: StructureKind, within: Members = {}): TSchema {
  const place = (name: string) =>
    guid(`${textOf(name)} It must match the place of the structure in the body.`);
  return Type.Object(
    {
      id: inputGuid(textOf('id')),
      ...described(STRUCTURE_MEMBERS[kind]),
      ...inputLists(kind),
      ...GEOMETRY_MEMBERS[kind],
      ...Object.fromEntries(PARENTS[kind].map((name) => [name, place(name)])),
      createdAt: dateTime(`${textOf('createdAt')} Ignored here.`),
      updatedAt: dateTime(`${textOf('updatedAt')} Ignored here.`),
      ...within,
    },
    {
      [NAME]: `${titled(kind)}Input`,
      description: `The members of ${kindText(kind)} to write. An omitted member keeps its value; null clears it.`,
      required: ['id'],
      additionalProperties: false,
    },
  );
}

const externalIdInput = {
  ...STRUCTURE_MEMBERS.farm.externalIds.items,
  properties: described(STRUCTURE_MEMBERS.farm.externalIds.items.properties, externalIdText),
  [NAME]: 'ExternalIdInput',
  description: 'The ID of a structure in another system.',
};

/** The members of an input that are lists, with the schemas of their items. */
function inputLists(kind: StructureKind): Members {
  const externalIds = Type.Unsafe({
    ...STRUCTURE_MEMBERS[kind].externalIds,
    items: externalIdInput,
    description: textOf('externalIds'),
  });
  if (kind !== 'block') return { externalIds };
  const { irrigationStationIds } = STRUCTURE_MEMBERS.block;
  const items = { ...irrigationStationIds.items, ...keywordsOf(stationId) };
  const description = textOf('irrigationStationIds');
  return {
    externalIds,
    irrigationStationIds: Type.Unsafe({ ...irrigationStationIds, items, description }),
  };
}

const inputFeature = Type.Object(
  {
    type: featureType,
    id: guid(textOf('id')),
    geometry: Type.Optional(
      orNull(blockGeometry, 'The geometry of the structure; of a farm, its boundary or its location.'),
    ),
    properties: Type.Object(
      {
        structureType: oneOf(STRUCTURE_KINDS, 'The kind of the structure.'),
        farmId: Type.Optional(guid(textOf('farmId'))),
        fieldId: Type.Optional(guid(textOf('fieldId'))),
      },
      {
        [NAME]: 'FeaturePropertiesInput',
        description: 'The members of the structure, without its geometry.',
      },
    ),
  },
  { [NAME]: 'FeatureInput', description: 'A structure to write, as a Feature.' },
);

const inputFarms = inputObject(
  'FarmsInput',
  'Farms, with the structures in them. An omitted member keeps its value; null clears it.',
  {
    farms: listOf(
      input('farm', {
        fields: listOf(
          input('field', { blocks: listOf(input('block'), 'Blocks of the field to write.') }),
          'Fields of the farm to write.',
        ),
        irrigationStations: listOf(input('irrigationStation'), 'Irrigation stations of the farm to write.'),
      }),
      'The farms to write.',
    ),
  },
);

const inputFeatureCollection = Type.Object(
  { type: collectionType, features: listOf(inputFeature, 'The structures to write, in any order.') },
  {
    [NAME]: 'FeatureCollectionInput',
    description: 'Farms as GeoJSON: each Feature with its structureType and the IDs of its parents.',
  },
);

/** The body of a write, in either form. */
export const inputStructures = Type.Unsafe({
  [NAME]: 'StructuresInput',
  description: 'Structures to write, nested or as GeoJSON.',
  anyOf: [inputFarms, inputFeatureCollection],
});
