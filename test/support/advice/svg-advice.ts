import { TINY_SVG } from '../package-builder.ts';
import { quotedIn } from './edit-json.ts';

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** The text without this element: an empty one, or one with its content. */
function withoutElement(text: string, start: string): string {
  const name = /^<([\w:]+)/.exec(start)?.[1] ?? '';
  const open = escaped(start);
  return text.replace(
    new RegExp(`${open}(?:[^>]*/>|[^>]*[^/]>[^]*?</${escaped(name)}>|>[^]*?</${escaped(name)}>)`),
    '',
  );
}

function withoutAttribute(text: string, name: string): string {
  return text.replace(new RegExp(`\\s${escaped(name)}="[^"]*"`), '');
}

type Edit = (text: string, detail: string) => string;

/** The edits that messages about an SVG image advise. */
const ADVICE: readonly (readonly [sentence: RegExp, edit: Edit])[] = [
  [/Delete the DOCTYPE declaration/, (text) => text.replace(/<!DOCTYPE(?:[^[>]|\[[^\]]*\])*>/, '')],
  [
    /Save the file in UTF-8 and write encoding=/,
    (text) => text.replace(/encoding="[^"]*"/, 'encoding="UTF-8"'),
  ],
  [/^The text is not UTF-8\. Save the file in UTF-8/, (text) => text.replaceAll('\uFFFD', '')],
  [
    /^The processing instruction .* Remove it/,
    (text, detail) => text.replace(new RegExp(`<\\?${quotedIn(detail)}.*?\\?>`), ''),
  ],
  [
    /Start the image with <svg/,
    (text, detail) => text.replace(/^<[^>]*?\/?>/, `${/<svg xmlns="[^"]*"/.exec(detail)?.[0] ?? ''}/>`),
  ],
  [/^The event attribute .* Remove it/, (text, detail) => withoutAttribute(text, quotedIn(detail))],
  [/^The (?:HTML )?element .* Remove it/, (text, detail) => withoutElement(text, `<${quotedIn(detail)}`)],
  [
    /^Animating .* Remove the animation/,
    (text, detail) =>
      text.replace(new RegExp(`<\\w+ attributeName="${escaped(quotedIn(detail))}"[^>]*/>`), ''),
  ],
  [/^The style sheet contains .* Remove it/, (text) => withoutElement(text, '<style')],
  [
    /only references inside it \(#…\)/,
    (text, detail) => text.replace(new RegExp(`(\\s${escaped(quotedIn(detail))}=)"[^"]*"`), '$1"#a"'),
  ],
  [/^".*" contains .* Remove it/, (text, detail) => withoutAttribute(text, quotedIn(detail))],
  // The remedy on the code's page: a file that is an image.
  [/^The image is not well-formed XML/, () => TINY_SVG],
];

/** The image as a message says to change it. */
export function correctedSvg(text: string, detail: string): string {
  const [, edit] = ADVICE.find(([sentence]) => sentence.test(detail)) ?? [];
  if (edit === undefined) throw new Error(`the message does not say what to do: ${detail}`);
  return edit(text, detail);
}
