import type { Schemas } from '../server/api-types.ts';

/** Images that an `<img>` shows. An SVG in it runs no script and loads nothing. */
const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/svg+xml']);
const TINTS = ['#0f6e50', '#1d5fa8', '#8a4b08', '#6d3fa0', '#9c2f4f', '#3f5b1f'];

interface LogoProps {
  readonly name: string;
  readonly logos: readonly Schemas['Logo'][];
}

/** A module's logo, or a tile with its first letter. Hidden from screen readers: the name is beside it. */
export function Logo({ name, logos }: LogoProps) {
  const logo = logos.find(({ mediaType }) => isShowable(mediaType));
  if (logo !== undefined)
    return (
      <img class="logo" src={`/portal/media/${logo.sha256}`} alt="" width="48" height="48" loading="lazy" />
    );
  const letters = Array.from(name);
  const sum = letters.reduce((before, each) => before + (each.codePointAt(0) ?? 0), 0);
  return (
    <span class="logo tile" style={{ background: TINTS[sum % TINTS.length] }} aria-hidden="true">
      {letters[0]?.toUpperCase() ?? '?'}
    </span>
  );
}

/** Whether the portal can show an image. */
export function isShowable(mediaType: string): boolean {
  return IMAGES.has(mediaType);
}
