import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  Scalar,
  type Alias,
  type CST,
  type Document,
  type Node,
  type Pair,
  type ScalarTag,
  type YAMLError,
} from 'yaml';
import { decodeText, positionAt } from './decode-text.ts';
import { pointerTo } from './json-pointer.ts';
import {
  MAX_KEY_LENGTH,
  type KeyIssue,
  type LocatedNode,
  type LocatedText,
  type TextIssue,
  type TextPosition,
} from './located-text.ts';

/** Containers open at once, as in JSON: the composer recurses, and its time grows with the square of the depth. */
const MAX_DEPTH = 64;
/** Tokens of the text: some are a single byte and cost a microsecond each. */
const MAX_TOKENS = 100_000;
/** Nodes made by following aliases: "billion laughs" doubles with every line. */
const MAX_ALIASED_NODES = 10_000;

/** The key with which YAML 1.1 copied the members of another map. */
const MERGE_KEY = '<<';

const CONTAINERS: ReadonlySet<string> = new Set(['block-map', 'block-seq', 'flow-collection']);

const CORE_TAGS: ReadonlySet<string> = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq']
    .map((name) => `tag:yaml.org,2002:${name}`)
    .concat('!'),
);

/** An issue of the text, thrown to stop the walk and caught in `parseYaml`. */
class YamlIssue extends Error {
  readonly offset: number;

  constructor(offset: number, detail: string) {
    super(detail);
    this.offset = offset;
  }
}

/** The number of open containers; the parser's stack also contains documents and scalars. */
function openContainers({ stack }: Parser): number {
  return stack.filter(({ type }) => CONTAINERS.has(type)).length;
}

/** The tokens of a text, stopped before depth or number harm the composer. */
function* boundedTokens(text: string, lines: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    // Not every lexeme is a part of the text.
    const { offset } = parser;
    count += 1;
    if (parser.stack.length > MAX_DEPTH && openContainers(parser) > MAX_DEPTH)
      throw new YamlIssue(offset, `The text is nested more than ${MAX_DEPTH} levels deep.`);
    if (count > MAX_TOKENS) throw new YamlIssue(offset, `The text has more than ${MAX_TOKENS} tokens.`);
  }
  yield* parser.end();
}

type YamlDocument = Document.Parsed;

/** `!!float 1` is a float, though a number without a point is an integer where no tag says otherwise. */
const FLOAT_OF_INTEGER: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  // A tag without it is taken without a test of the text. A plain integer gets the library's own tag, which comes first.
  default: true,
  test: /^[-+]?[0-9]+$/,
  resolve: Number,
};

/** Whether a document has comments and markers at most. */
function isEmpty({ contents, errors }: YamlDocument): boolean {
  return errors.length === 0 && (contents === null || (isScalar(contents) && contents.source === ''));
}

/** The one document of a text, without an error or a warning of the composer. */
function composeDocument(text: string, lines: LineCounter): YamlDocument {
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    customTags: (tags) => [...tags, FLOAT_OF_INTEGER],
    resolveKnownTags: false,
    stringKeys: true,
    // The composer compares each key with each other one; the walk below uses a map.
    uniqueKeys: false,
    lineCounter: lines,
    prettyErrors: false,
  });
  const [document, second] = composer.compose(boundedTokens(text, lines), true, text.length);
  if (document === undefined || isEmpty(document))
    throw new YamlIssue(0, 'The file has no content. Write the rules into it, or remove the file.');
  const [issue] = [...document.errors, ...document.warnings].toSorted((a, b) => a.pos[0] - b.pos[0]);
  if (issue !== undefined)
    throw new YamlIssue(
      issue.pos[0],
      `The text is not YAML 1.2 as it is read here: ${describeYamlError(issue)}.`,
    );
  if (second !== undefined)
    throw new YamlIssue(second.range[0], 'The file contains more than one document. Remove this one.');
  if (document.directives.yaml.version !== '1.2')
    throw new YamlIssue(
      0,
      'The document declares another YAML version than 1.2. Remove the line with %YAML.',
    );
  return document;
}

interface Walked {
  readonly value: unknown;
  readonly located: LocatedNode;
}

/** Where the walk is: the pointer, the containers around it, and whether an alias led here. */
interface Step {
  readonly pointer: string;
  readonly depth: number;
  readonly aliased: boolean;
  readonly key?: TextPosition;
}

function offsetOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

function issueAt(node: Node, detail: string): YamlIssue {
  return new YamlIssue(offsetOf(node), detail);
}

/** The source text of a finite number, in decimal where it is hexadecimal or octal. */
function numberTextOf({ value, source }: Scalar): string | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return source !== undefined && /^[-+.\de]+$/i.test(source) ? source : String(value);
}

/** Turns the document into plain values with their positions, following aliases up to the bound. */
class Walk {
  readonly duplicateKeys: KeyIssue[] = [];
  readonly longKeys: KeyIssue[] = [];
  private readonly anchors = new Map<string, Node>();
  private readonly lines: LineCounter;
  private aliasedNodes = 0;

  constructor(lines: LineCounter) {
    this.lines = lines;
  }

  node(node: Node, step: Step): Walked {
    if (step.depth > MAX_DEPTH)
      throw issueAt(
        node,
        'An alias is inside the node that it refers to. Write the value itself instead of the alias.',
      );
    if (step.aliased) this.countAliased(node);
    if (isAlias(node)) return this.alias(node, step);
    this.noteAnchor(node, step);
    if (node.tag !== undefined && !CORE_TAGS.has(node.tag))
      throw issueAt(node, 'Only core tags are read. Remove the tag.');
    const value = this.position(node);
    const located = { value, key: step.key ?? value, numberText: null, members: null, items: null };
    if (isMap<Node, Node | null>(node)) return this.map(node.items, located, step);
    if (isSeq<Node>(node)) return this.sequence(node.items, located, step);
    if (!isScalar(node))
      throw issueAt(node, 'A value of this kind is not read. Write a text, a number, a list or a map.');
    return { value: node.value, located: { ...located, numberText: numberTextOf(node) } };
  }

  private alias(node: Alias, step: Step): Walked {
    // Only earlier anchors are valid, so the walk itself can keep them; the library searches the document.
    const target = this.anchors.get(node.source);
    if (target === undefined)
      throw issueAt(node, 'An alias has no anchor before it. Write the value itself instead of the alias.');
    return this.node(target, { ...step, depth: step.depth + 1, aliased: true });
  }

  private sequence(items: readonly Node[], located: LocatedNode, step: Step): Walked {
    const walked = items.map((item, index) =>
      this.node(item, {
        pointer: pointerTo(step.pointer, index),
        depth: step.depth + 1,
        aliased: step.aliased,
      }),
    );
    return {
      value: walked.map((each) => each.value),
      located: { ...located, items: walked.map((each) => each.located) },
    };
  }

  private map(pairs: readonly Pair<Node, Node | null>[], located: LocatedNode, step: Step): Walked {
    const values = new Map<string, unknown>();
    const members = new Map<string, LocatedNode>();
    for (const { key, value } of pairs) {
      if (!isScalar(key) || typeof key.value !== 'string')
        throw issueAt(key, 'A key must be text. Put it into quotes.');
      this.noteAnchor(key, step);
      const name = key.value;
      if (name === MERGE_KEY && key.type === Scalar.PLAIN)
        throw issueAt(key, 'YAML 1.2 has no merge key (<<). Write the members themselves instead.');
      const issue = { name, pointer: pointerTo(step.pointer, name), ...this.position(key) };
      if (members.has(name)) this.duplicateKeys.push(issue);
      if (name.length > MAX_KEY_LENGTH) this.longKeys.push(issue);
      const below = { pointer: issue.pointer, key: this.position(key) };
      const walked = this.node(value ?? emptyAfter(key), { ...step, ...below, depth: step.depth + 1 });
      values.set(name, walked.value);
      members.set(name, walked.located);
    }
    // fromEntries defines properties, so `__proto__` is an ordinary one.
    return { value: Object.fromEntries(values), located: { ...located, members } };
  }

  private position(node: Node): TextPosition {
    const { line, col } = this.lines.linePos(offsetOf(node));
    return { line, column: col };
  }

  private noteAnchor(node: Node, step: Step): void {
    if (!step.aliased && 'anchor' in node && typeof node.anchor === 'string')
      this.anchors.set(node.anchor, node);
  }

  private countAliased(node: Node): void {
    this.aliasedNodes += 1;
    if (this.aliasedNodes > MAX_ALIASED_NODES)
      throw issueAt(
        node,
        `The aliases expand to more than ${MAX_ALIASED_NODES} values. Write the values themselves.`,
      );
  }
}

/** The value of `? key` without a value. */
function emptyAfter(key: Scalar): Scalar {
  const empty = new Scalar(null);
  empty.range = key.range ?? null;
  return empty;
}

/** Parses one YAML 1.2 document in UTF-8, core tags only, and keeps where each value is. */
export function parseYaml(entry: string, content: Buffer): LocatedText | TextIssue {
  const text = decodeText(content);
  if (typeof text !== 'string') return text;
  const lines = new LineCounter();
  try {
    const document = composeDocument(text, lines);
    const walk = new Walk(lines);
    const { value, located } = walk.node(document.contents ?? new Scalar(null), {
      pointer: '',
      depth: 0,
      aliased: false,
    });
    return { entry, value, root: located, duplicateKeys: walk.duplicateKeys, longKeys: walk.longKeys };
  } catch (error) {
    if (!(error instanceof YamlIssue)) throw error;
    return { ...positionAt(text, error.offset), detail: error.message };
  }
}

const MAX_MESSAGE_LENGTH = 200;

/** Remedies for errors whose library messages contain none. */
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['BAD_DIRECTIVE', 'The directive is not read. Remove its line'],
  ['NON_STRING_KEY', 'A key must be text. Put it into quotes'],
  ['TAB_AS_INDENT', 'Tabs are not allowed as indentation. Use spaces'],
  ['TAG_RESOLVE_FAILED', 'The tag is not known here or does not fit the value. Remove it'],
]);

/** The problem of a text that is not YAML, without a full stop. The library may repeat a tag as long as the text. */
function describeYamlError({ code, message }: YAMLError): string {
  return MESSAGES.get(code) ?? message.slice(0, MAX_MESSAGE_LENGTH).replace(/\.$/, '');
}
