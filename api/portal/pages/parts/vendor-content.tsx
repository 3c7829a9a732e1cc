import { lexer } from 'marked';
import type { ComponentChildren } from 'preact';
import type { Schemas } from '../server/call-api.ts';
import { Section } from './page.tsx';

/** Images that an `<img>` shows. An SVG in it runs no script and loads nothing. */
const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/svg+xml']);
const TINTS = ['#0f6e50', '#1d5fa8', '#8a4b08', '#6d3fa0', '#9c2f4f', '#3f5b1f'];

/** A module's logo, or a tile with its first letter. Hidden from screen readers: the name is beside it. */
export function Logo({ name, logos }: { readonly name: string; readonly logos: readonly Schemas['Logo'][] }) {
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

interface ImagesProps<Image> {
  readonly title: string;
  readonly of: readonly Image[];
  readonly altOf: (image: Image, index: number) => string;
}

/** A section with a module's images; nothing if the portal can show none of them. */
export function Images<Image extends Schemas['Logo']>({ title, of, altOf }: ImagesProps<Image>) {
  const images = of.filter(({ mediaType }) => isShowable(mediaType));
  if (images.length === 0) return null;
  return (
    <Section title={title}>
      <ul class="plain images">
        {images.map((image, index) => (
          <li key={index}>
            <img src={`/portal/media/${image.sha256}`} alt={altOf(image, index)} loading="lazy" />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function isShowable(mediaType: string): boolean {
  return IMAGES.has(mediaType);
}

/** A part of a Markdown text, as the lexer returns it. */
interface MarkdownNode {
  readonly type: string;
  readonly raw: string;
  readonly text?: string | undefined;
  readonly href?: string | undefined;
  readonly ordered?: boolean | undefined;
  readonly tokens?: readonly MarkdownNode[] | undefined;
  readonly items?: readonly MarkdownNode[] | undefined;
}

/** Longer texts are shown as they are, and so is what is nested deeper: both would block the page. */
const MAX_CHARACTERS = 200_000;
const MAX_DEPTH = 20;

/**
 * A vendor's Markdown as elements. No HTML is made of it: tags are shown as text, images as their descriptions, and only
 * links to web pages are links.
 */
export function Markdown({ text }: { readonly text: string }) {
  return <div class="markdown">{elementsOf(parse(text), 0)}</div>;
}

function parse(text: string): readonly MarkdownNode[] {
  const plain = { type: 'plain', raw: text };
  if (text.length > MAX_CHARACTERS) return [plain];
  try {
    return lexer(text);
  } catch {
    return [plain];
  }
}

function elementsOf(nodes: readonly MarkdownNode[], depth: number): ComponentChildren {
  return nodes.map((node) => elementOf(node, depth + 1));
}

/** Elements whose only content is that of the Markdown. */
const ELEMENTS: Readonly<
  Record<string, 'h3' | 'p' | 'blockquote' | 'li' | 'strong' | 'em' | 'del' | 'code'>
> = {
  heading: 'h3',
  paragraph: 'p',
  blockquote: 'blockquote',
  list_item: 'li',
  strong: 'strong',
  em: 'em',
  del: 'del',
  codespan: 'code',
};

/** What has no text of its own. */
const WITHOUT_TEXT: Readonly<Record<string, () => ComponentChildren>> = {
  hr: () => <hr />,
  br: () => <br />,
  space: () => null,
  def: () => null,
};

function elementOf(node: MarkdownNode, depth: number): ComponentChildren {
  if (depth > MAX_DEPTH) return node.raw;
  const { type, raw, text = raw, tokens } = node;
  const inner = tokens === undefined ? text : elementsOf(tokens, depth);
  const Element = ELEMENTS[type];
  if (Element !== undefined) return <Element>{inner}</Element>;
  switch (type) {
    case 'list': {
      const List = node.ordered === true ? 'ol' : 'ul';
      return <List>{elementsOf(node.items ?? [], depth)}</List>;
    }
    case 'code':
      return <pre tabIndex={0}>{text}</pre>;
    case 'table':
    case 'plain':
      return <pre tabIndex={0}>{raw}</pre>;
    case 'link':
      return <WebLink href={node.href ?? ''}>{inner}</WebLink>;
    case 'html':
      return raw;
    default:
      return type in WITHOUT_TEXT ? WITHOUT_TEXT[type]?.() : inner;
  }
}

/** A link to a page of somebody else, who does not learn where the reader comes from; text if it is no http address. */
export function WebLink({ href, children }: { readonly href: string; readonly children: ComponentChildren }) {
  if (!/^https?:\/\//i.test(href)) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
