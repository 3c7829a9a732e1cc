import type { Logo as LogoFile } from '../server/answers.ts';

/** What `/portal/media` serves; an SVG can hold scripts, and is not among it. */
const RASTER = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);
const TINTS = 6;

/** A module's raster logo, or else a tile with its first letter. Says nothing to screen readers: the name is beside it. */
export function Logo({ name, logos }: { readonly name: string; readonly logos: readonly LogoFile[] }) {
  const logo = logos.find(({ mediaType }) => RASTER.has(mediaType));
  if (logo !== undefined)
    return (
      <img class="logo" src={`/portal/media/${logo.sha256}`} alt="" width="48" height="48" loading="lazy" />
    );
  const tint =
    Array.from(name, (each) => each.codePointAt(0) ?? 0).reduce((sum, each) => sum + each, 0) % TINTS;
  return (
    <span class={`logo tile tint-${tint}`} aria-hidden="true">
      {Array.from(name)[0]?.toUpperCase() ?? '?'}
    </span>
  );
}

/** Whether an image can be shown here. */
export function isShowable(mediaType: string): boolean {
  return RASTER.has(mediaType);
}
