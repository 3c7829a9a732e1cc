import { expect, test } from 'vitest';
import { keywordsOf } from '../../../api/http/schema.ts';
import { SchemaComponents } from '../../../api/openapi/components.ts';
import { inputStructures } from '../../../api/structures/structure-input-schemas.ts';

test('the schemas of input structures accept no member that they do not name', () => {
  const components = new SchemaComponents();
  components.of(keywordsOf(inputStructures));
  const { FarmInput, FieldInput, BlockInput, IrrigationStationInput } = components.all();
  for (const schema of [FarmInput, FieldInput, BlockInput, IrrigationStationInput])
    expect(schema).toMatchObject({ additionalProperties: false });
});
