import type { GeometryIssueKind } from '../../../../../shared/structures/check-geometry.ts';
import type { components } from '../../../../../shared/client/openapi-types.ts';

export type Surface = NonNullable<components['schemas']['Field']['boundary']>;

/** Why a file cannot be read. */
type FileIssueKind =
  | 'unknownFormat'
  | 'damaged'
  | 'encrypted'
  | 'noAreas'
  | 'tooLarge'
  | 'unpacksTooLarge'
  | 'tooMany'
  | 'zipInZip'
  | 'shapefileAlone'
  | 'noCoordinateSystem'
  | 'coordinateSystem';

/** Why an entry of a file, or a file of a ZIP, is not accepted. */
export interface AreaIssue {
  readonly kind: GeometryIssueKind | FileIssueKind | 'noArea' | 'duplicate';
  /** Its subject: the name of a coordinate system or of another area; else empty. */
  readonly about: string;
}

/** An entry of a file, or a file of a ZIP that cannot be read. */
export interface ReadArea {
  /** Its name in the file; null: none. */
  readonly name: string | null;
  /** Null where it has none that can be drawn. */
  readonly geometry: Surface | null;
  readonly areaM2: number | null;
  /** Null: it is accepted. */
  readonly issue: AreaIssue | null;
}

/** An area that is accepted. */
export interface Area extends ReadArea {
  readonly geometry: Surface;
  readonly issue: null;
}

/** Whether an entry of a file is accepted. */
export function isArea<Read extends ReadArea>(read: Read): read is Read & Area {
  return read.geometry !== null && read.issue === null;
}

/** A file that cannot be read. */
export class FileIssueError extends Error implements AreaIssue {
  override readonly name = 'FileIssueError';
  readonly kind: FileIssueKind;
  readonly about: string;

  constructor(kind: FileIssueKind, about = '') {
    super(kind);
    this.kind = kind;
    this.about = about;
  }
}

/** What the API takes in one body. */
export const MAX_BYTES = 10_000_000;
/** What is shown in one table. */
export const MAX_AREAS = 2_000;

/** A shape as a file has it: neither converted to WGS 84 nor checked. */
export interface Shape {
  readonly name: string | null;
  readonly geometry: unknown;
}

/** The shapes of a file, and what makes longitude and latitude of its positions. */
export interface Layer {
  readonly shapes: readonly Shape[];
  readonly toWgs84: ToWgs84;
}

export type ToWgs84 = (position: [x: number, y: number]) => readonly number[];
