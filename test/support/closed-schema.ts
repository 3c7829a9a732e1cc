type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The schema with every object closed, so that a member that it does not name is an issue. Published schemas
 * are open: an answer may gain members.
 */
export function closedSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closedSchema);
  if (!isObject(schema)) return schema;
  const closed = Object.fromEntries(Object.entries(schema).map(([name, each]) => [name, closedSchema(each)]));
  const isWhole =
    isObject(schema['properties']) && !('allOf' in schema) && !('additionalProperties' in schema);
  // A member may be named `properties` itself: then the value is not a schema, and has no type.
  return isWhole && schema['type'] === 'object' ? { ...closed, additionalProperties: false } : closed;
}
