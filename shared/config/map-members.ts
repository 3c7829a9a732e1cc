/** The same members, with the values that the function makes of theirs. */
export function mapMembers<Name extends string, Value, Mapped>(
  members: Readonly<Record<Name, Value>>,
  map: (value: Value) => Mapped,
): Record<Name, Mapped> {
  const mapped: Partial<Record<Name, Mapped>> = {};
  for (const name in members) mapped[name] = map(members[name]);
  return mapped as Record<Name, Mapped>;
}
