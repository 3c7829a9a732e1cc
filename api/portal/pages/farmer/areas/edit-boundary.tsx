import { useMemo, useRef, useState } from 'preact/hooks';
import { surfaceAreaM2 } from '../../../../../shared/structures/surface-area.ts';
import type { Field } from '../../parts/fields.tsx';
import { RowButton } from '../../parts/page.tsx';
import { useFormats, useTexts } from '../../texts/language.ts';
import {
  DRAWING_HEIGHT,
  DRAWING_WIDTH,
  linesOf,
  type LocatedShape,
  pathOf,
  type Point,
  projection,
} from '../farm-outline.tsx';
import type { Surface } from './area.ts';
import { cornersOf, middleAfter, type Position, rounded, withCorners } from './corners.ts';
import { surfaceIssue } from './surface-issue.ts';

export { surfaceIssue };

/** More than anybody moves one by one: such a boundary comes from a file, and is replaced by one. */
const MAX_CORNERS = 200;
/** A ring with fewer has no area. */
const MIN_CORNERS = 3;
/** Room to pull corners outwards. */
const MARGIN = 60;
/** Of the dots on the map. */
const RADIUS = { corner: 9, middle: 5 } as const;
/** About a metre: what an arrow key moves a corner by. */
const STEP_DEGREES = 0.00001;

/** Where a corner is: its ring among those of all polygons, and its index there. */
interface CornerAt {
  readonly ring: number;
  readonly corner: number;
}

/** A field for a boundary that is redrawn: its corners are pulled on a map, or their coordinates changed in a list. */
export function boundaryField<Boundary extends Surface | null>(
  initial: Boundary,
  around: readonly LocatedShape[],
): Field<Boundary | Surface> {
  return {
    initial,
    show: (surface, onChange) =>
      surface === null ? <NotEditable /> : <BoundaryEditor {...{ surface, around, onChange }} />,
  };
}

function NotEditable() {
  const { farms: texts } = useTexts();
  return <p class="quiet">{texts.redrawByFile}</p>;
}

interface EditorProps {
  readonly surface: Surface;
  /** What is shown beside it. */
  readonly around: readonly LocatedShape[];
  readonly onChange: (surface: Surface) => void;
}

function BoundaryEditor({ surface, around, onChange }: EditorProps) {
  const { farms: texts } = useTexts();
  const format = useFormats();
  if (cornersOf(surface).flat().length > MAX_CORNERS) return <NotEditable />;
  const issue = surfaceIssue(surface);
  return (
    <>
      <CornerMap {...{ surface, around, onChange }} />
      <p role="status" class={issue === null ? undefined : 'not-accepted'}>
        {issue === null
          ? `${texts.area}: ${format.hectares(surfaceAreaM2(surface) ?? 0)}`
          : texts.areaIssues[issue]()}
      </p>
      <CornerList {...{ surface, onChange }} />
    </>
  );
}

/** The map is for a mouse or a finger; the list beside it does the same for everybody. */
function CornerMap({ surface, around, onChange }: EditorProps) {
  const { farms: texts } = useTexts();
  // Of the first boundary: a map that moved under the pointer would run away from it.
  const { project, unproject } = useMemo(
    () => projection([surface, ...around.map(({ geometry }) => geometry)].flatMap(linesOf).flat(), MARGIN),
    [],
  );
  const { start, ...events } = usePulling(surface, unproject, onChange);
  const dot = (
    position: Position,
    kind: keyof typeof RADIUS,
    onPointerDown: (event: PointerEvent) => void,
  ) => {
    const [cx, cy] = project(position);
    return <circle class={kind} {...{ cx, cy, onPointerDown }} r={RADIUS[kind]} />;
  };
  return (
    <figure class="outline">
      <svg
        viewBox={`0 0 ${DRAWING_WIDTH} ${DRAWING_HEIGHT}`}
        role="img"
        aria-label={texts.redrawMap}
        {...events}
      >
        {around.map(({ id, kind, geometry }) => (
          <path key={id} class={`shape ${kind}`} d={pathOf(geometry, project)} fill-rule="evenodd" />
        ))}
        <path class="shape field" d={pathOf(surface, project)} fill-rule="evenodd" />
        {cornersOf(surface).map((corners, ring) => (
          <g key={ring}>
            {corners.map((_, corner) => {
              const middle = middleAfter(corners, corner);
              return dot(middle, 'middle', start({ ring, corner: corner + 1 }, middle));
            })}
            {corners.map((position, corner) => dot(position, 'corner', start({ ring, corner }, null)))}
          </g>
        ))}
      </svg>
      <figcaption class="quiet">{texts.redrawHint}</figcaption>
    </figure>
  );
}

/** Returns what starts to pull a corner, or one that is inserted first, and the events of the drawing that go on. */
function usePulling(
  surface: Surface,
  unproject: (point: Point) => Position,
  onChange: (surface: Surface) => void,
) {
  const shown = useRef(surface);
  shown.current = surface;
  const pulled = useRef<CornerAt | null>(null);
  const change = (ring: number, next: (corners: readonly Position[]) => readonly Position[]) => {
    // Events may follow each other faster than the page is drawn.
    shown.current = withCorners(shown.current, ring, next);
    onChange(shown.current);
  };
  const end = () => (pulled.current = null);
  return {
    start: (at: CornerAt, inserted: Position | null) => (event: PointerEvent) => {
      event.preventDefault();
      if (event.currentTarget instanceof SVGElement)
        event.currentTarget.ownerSVGElement?.setPointerCapture(event.pointerId);
      if (inserted !== null) change(at.ring, (corners) => corners.toSpliced(at.corner, 0, inserted));
      pulled.current = at;
    },
    onPointerMove(event: PointerEvent) {
      if (pulled.current === null || !(event.currentTarget instanceof Element)) return;
      const { ring, corner } = pulled.current;
      const position = unproject(drawingPoint(event, event.currentTarget)).map(rounded);
      change(ring, (corners) => corners.with(corner, position));
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
}

/** A point of the drawing, which is as wide as its place on the page. */
function drawingPoint({ clientX, clientY }: PointerEvent, drawing: Element): Point {
  const { left, top, width } = drawing.getBoundingClientRect();
  const scale = DRAWING_WIDTH / width;
  const within = (value: number, most: number) => Math.min(most, Math.max(0, value * scale));
  return [within(clientX - left, DRAWING_WIDTH), within(clientY - top, DRAWING_HEIGHT)];
}

function CornerList({ surface, onChange }: Omit<EditorProps, 'around'>) {
  const { common, farms: texts } = useTexts();
  const rings = cornersOf(surface);
  const nameOf = ({ ring, corner }: CornerAt) =>
    texts.corner(rings.slice(0, ring).flat().length + corner + 1);
  return (
    <fieldset class="corners">
      <legend>{texts.corners}</legend>
      <ol class="plain">
        {rings.map((corners, ring) =>
          corners.map((position, corner) => {
            const about = nameOf({ ring, corner });
            const put = (axis: number) => (degrees: number) =>
              onChange(withCorners(surface, ring, (all) => all.with(corner, position.with(axis, degrees))));
            const insert = () => {
              const added = middleAfter(corners, corner);
              onChange(withCorners(surface, ring, (all) => all.toSpliced(corner + 1, 0, added)));
            };
            const remove = () => onChange(withCorners(surface, ring, (all) => all.toSpliced(corner, 1)));
            return (
              <li key={about} class="row">
                <span>{about}</span>
                <Degrees label={texts.latitude(about)} value={position[1] ?? 0} onInput={put(1)} />
                <Degrees label={texts.longitude(about)} value={position[0] ?? 0} onInput={put(0)} />
                <RowButton text={texts.addCorner} about={about} onClick={insert} />
                {corners.length > MIN_CORNERS && (
                  <RowButton text={common.remove} about={about} onClick={remove} />
                )}
              </li>
            );
          }),
        )}
      </ol>
    </fieldset>
  );
}

interface DegreesProps {
  readonly label: string;
  readonly value: number;
  readonly onInput: (degrees: number) => void;
}

/** A number that keeps what is being typed, such as `53.0` on the way to `53.05`. */
function Degrees({ label, value, onInput }: DegreesProps) {
  const [typed, setTyped] = useState({ text: String(value), value });
  const type = (text: string, degrees: number) => {
    const isNumber = Number.isFinite(degrees);
    setTyped({ text, value: isNumber ? degrees : value });
    if (isNumber) onInput(degrees);
  };
  return (
    <input
      type="number"
      required
      // Any value may be typed; an arrow key goes by a step.
      step="any"
      aria-label={label}
      value={typed.value === value ? typed.text : String(value)}
      onInput={({ currentTarget }) => type(currentTarget.value, currentTarget.valueAsNumber)}
      onKeyDown={(event) => {
        const steps = { ArrowUp: 1, ArrowDown: -1 }[event.key];
        if (steps === undefined) return;
        event.preventDefault();
        const degrees = rounded(value + steps * STEP_DEGREES);
        type(String(degrees), degrees);
      }}
    />
  );
}
