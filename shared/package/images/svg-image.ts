import { SaxesParser, type SaxesAttributeNS, type SaxesTagNS, type XMLDecl } from 'saxes';
import { isInnerReference, outerReferenceIn } from './css-references.ts';
import { decodeText, positionAt } from '../text/decode-text.ts';
import type { TextIssue } from '../text/located-text.ts';
import { quoteText } from '../text/quote-value.ts';

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';
/** HTML elements are live in an SVG document wherever they are, not only in `foreignObject`. */
const HTML_NAMESPACE = 'http://www.w3.org/1999/xhtml';

/** The parser looks a prefix up through all open elements, so depth costs its square. */
const MAX_DEPTH = 256;
/** Elements, attributes, comments and other constructs together, at some microseconds each. */
const MAX_NODES = 100_000;
/** The most issues that are reported for an image. */
const MAX_ISSUES = 20;

/** Elements that run code or carry HTML; `handler` and `listener` are of SVG Tiny 1.2. */
const LIVE_ELEMENTS: ReadonlySet<string> = new Set(['script', 'foreignobject', 'handler', 'listener']);
/** Attributes whose value is a reference, in any namespace; `base` (xml:base) turns `#a` into an outer one. */
const REFERENCE_ATTRIBUTES: ReadonlySet<string> = new Set([
  'href',
  'src',
  'base',
  'ping',
  'formaction',
  'action',
  'data',
]);

/** Thrown to leave the parser, which would go on after an error. */
class SvgStop extends Error {}

function localName(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1).toLowerCase();
}

function issueOfAttribute(attribute: SaxesAttributeNS): string | null {
  const name = localName(attribute.name);
  const { value } = attribute;
  const quoted = quoteText(attribute.name);
  // A namespace declaration fetches nothing.
  if (attribute.uri === 'http://www.w3.org/2000/xmlns/') return null;
  if (name.startsWith('on')) return `The event attribute ${quoted} is not allowed. Remove it.`;
  if (REFERENCE_ATTRIBUTES.has(name) && !isInnerReference(value)) {
    return `${quoted} points outside the file; only references inside it (#…) and embedded raster images are allowed.`;
  }
  // <set attributeName="href" to="javascript:…"> writes a reference while the image is shown.
  const animated = name === 'attributename' ? localName(value.trim()) : '';
  if (REFERENCE_ATTRIBUTES.has(animated) || animated.startsWith('on')) {
    return `Animating ${quoteText(value)} is not allowed. Remove the animation.`;
  }
  if (/^(?:javascript|vbscript|data:text)/i.test(value.replace(/[\0-\x20]/g, ''))) {
    return `${quoted} contains a script or text reference. Remove it.`;
  }
  const outer = outerReferenceIn(value, name === 'style');
  return outer === null ? null : `${quoted} contains ${outer}. Remove it.`;
}

/** Collects the issues of an SVG while the parser reads it. */
class SvgValidation {
  readonly issues: TextIssue[] = [];
  private readonly parser = new SaxesParser({ xmlns: true });
  private text = '';
  /** Offsets of the tag that is read and of its attributes; all are checked only when the parser is at its end. */
  private starts: number[] = [];
  private nextStart = 0;
  private depth = 0;
  private nodes = 0;
  /** Depth of the `style` element that is open; 0 for none. */
  private styleDepth = 0;
  private style = '';

  constructor() {
    this.parser.on('error', (error) => {
      this.stop(`The image is not well-formed XML: ${withoutPosition(error.message)}.`);
    });
    this.parser.on('xmldecl', this.checkEncoding.bind(this));
    this.parser.on('doctype', () => {
      this.add('A DTD is not allowed. Delete the DOCTYPE declaration: an SVG image does not need it.');
    });
    this.parser.on('processinginstruction', this.checkInstruction.bind(this));
    this.parser.on('opentagstart', this.enter.bind(this));
    this.parser.on('attribute', this.enterAttribute.bind(this));
    this.parser.on('opentag', this.checkElement.bind(this));
    this.parser.on('closetag', this.leave.bind(this));
    this.parser.on('text', this.collectStyle.bind(this));
    this.parser.on('cdata', this.collectCdata.bind(this));
    this.parser.on('comment', this.countNode.bind(this));
  }

  run(text: string): void {
    this.text = text;
    try {
      this.parser.write(text).close();
    } catch (error) {
      if (!(error instanceof SvgStop)) throw error;
    }
  }

  private add(detail: string, offset = this.parser.position): void {
    this.issues.push({ ...positionAt(this.text, offset), detail });
    if (this.issues.length >= MAX_ISSUES) throw new SvgStop();
  }

  private stop(detail: string, offset?: number): never {
    this.add(detail, offset);
    throw new SvgStop();
  }

  /** A viewer that uses another encoding would read other characters than those validated here. */
  private checkEncoding({ encoding }: XMLDecl): void {
    if (encoding !== undefined && !/^(?:utf-8|us-ascii)$/i.test(encoding))
      this.add(
        `The encoding ${quoteText(encoding)} is not UTF-8. Save the file in UTF-8 and write encoding="UTF-8".`,
      );
  }

  private checkInstruction({ target }: { target: string }): void {
    this.countNode();
    if (/stylesheet/i.test(target))
      this.add(`The processing instruction ${quoteText(target)} is not allowed. Remove it.`);
  }

  private enter(): void {
    this.countNode();
    this.nextStart = this.parser.position;
    this.starts = [this.text.lastIndexOf('<', this.nextStart - 1)];
    this.depth += 1;
    if (this.depth > MAX_DEPTH) this.stop(`The image is nested more than ${MAX_DEPTH} levels deep.`);
  }

  private enterAttribute({ name }: { readonly name: string }): void {
    this.countNode();
    this.starts.push(this.text.indexOf(name, this.nextStart));
    this.nextStart = this.parser.position;
  }

  private countNode(): void {
    this.nodes += 1;
    if (this.nodes > MAX_NODES)
      this.stop(`The image has more than ${MAX_NODES} elements, attributes, comments and other constructs.`);
  }

  private checkElement(tag: SaxesTagNS): void {
    const name = tag.local.toLowerCase();
    const [start, ...attributeStarts] = this.starts;
    if (this.depth === 1 && (tag.local !== 'svg' || tag.uri !== SVG_NAMESPACE)) {
      this.stop(
        `The root element is not svg of its namespace. Start the image with <svg xmlns="${SVG_NAMESPACE}">.`,
        start,
      );
    }
    if (LIVE_ELEMENTS.has(name))
      this.add(`The element ${quoteText(tag.name)} is not allowed. Remove it.`, start);
    else if (tag.uri === HTML_NAMESPACE)
      this.add(`The HTML element ${quoteText(tag.name)} is not allowed. Remove it.`, start);
    for (const [index, attribute] of Object.values(tag.attributes).entries()) {
      const issue = issueOfAttribute(attribute);
      if (issue !== null) this.add(issue, attributeStarts[index]);
    }
    // Browsers leave out the text of an element in a style sheet, so they would read other CSS than is checked here.
    if (this.styleDepth > 0) this.add('The style sheet contains an element. Remove it.', start);
    else if (name === 'style') this.styleDepth = this.depth;
  }

  private leave(): void {
    if (this.depth === this.styleDepth) {
      const outer = outerReferenceIn(this.style, true);
      if (outer !== null) this.add(`The style sheet contains ${outer}. Remove it.`);
      this.style = '';
      this.styleDepth = 0;
    }
    this.depth -= 1;
  }

  private collectCdata(text: string): void {
    this.countNode();
    this.collectStyle(text);
  }

  private collectStyle(text: string): void {
    if (this.styleDepth > 0) this.style += text;
  }
}

/** The parser's message without the position that it starts with, on one line. */
function withoutPosition(message: string): string {
  return message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');
}

/** Whether the content starts as XML does, so that it is worth reading as SVG. */
export function looksLikeXml(content: Buffer): boolean {
  return /^(?:\u00EF\u00BB\u00BF)?[ \t\r\n]*</.test(content.toString('latin1', 0, 512));
}

/** The reasons why an XML file is not a safe SVG image; nothing if it is one. */
export function svgIssues(content: Buffer): readonly TextIssue[] {
  const text = decodeText(content);
  if (typeof text !== 'string') return [text];
  const validation = new SvgValidation();
  validation.run(text);
  return validation.issues;
}
