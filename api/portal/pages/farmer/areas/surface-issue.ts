import {
  checkGeometry,
  type GeometryIssueKind,
  SURFACE_TYPES,
} from '../../../../../shared/structures/check-geometry.ts';

/** Why a geometry is not accepted as a surface; null: it is. */
export function surfaceIssue(geometry: unknown): GeometryIssueKind | null {
  const kinds: GeometryIssueKind[] = [];
  checkGeometry(geometry, SURFACE_TYPES, '', {
    get total() {
      return kinds.length;
    },
    add: (_pointer, _detail, kind) => void kinds.push(kind),
  });
  return kinds.at(0) ?? null;
}
