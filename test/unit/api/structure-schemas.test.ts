import { expect, test } from 'vitest';
import { keywordsOf } from '../../../api/http/schema.ts';
import { SchemaComponents } from '../../../api/openapi/components.ts';
import { writtenStructures } from '../../../api/structures/structure-schemas.ts';

test('the schemas of input structures accept no member that they do not name', () => {
  const components = new SchemaComponents();
  components.of(keywordsOf(writtenStructures));
  const { WrittenFarm, WrittenField, WrittenBlock, WrittenIrrigationStation } = components.all();
  for (const schema of [WrittenFarm, WrittenField, WrittenBlock, WrittenIrrigationStation])
    expect(schema).toMatchObject({ additionalProperties: false });
});
