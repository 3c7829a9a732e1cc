import { escapeHtml } from '../../shared/package/text/html.ts';
import { isObject, type JsonSchema as Schema } from '../http/schema.ts';

function schemasOf(value: unknown): readonly Schema[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function code(value: unknown): string {
  return `<code>${escapeHtml(typeof value === 'string' ? value : JSON.stringify(value))}</code>`;
}

const BOUNDS: Readonly<Record<string, string>> = {
  minimum: 'at least',
  maximum: 'at most',
  minLength: 'characters, at least',
  maxLength: 'characters, at most',
  minItems: 'items, at least',
  maxItems: 'items, at most',
  default: 'default',
  pattern: 'pattern',
};

function boundsHtml(schema: Schema): string {
  const bounds = Object.entries(BOUNDS).flatMap(([keyword, words]) =>
    keyword in schema ? [`${words} ${code(schema[keyword])}`] : [],
  );
  return bounds.length === 0 ? '' : `<span class="bounds">${bounds.join(', ')}</span>`;
}

/** Text with `code` spans as HTML. */
export function inlineHtml(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

/** Text with empty lines between its paragraphs as HTML. */
export function paragraphs(text: unknown): string {
  if (typeof text !== 'string') return '';
  return text
    .split('\n\n')
    .map((each) => `<p>${inlineHtml(each)}</p>`)
    .join('\n');
}

/** Schemas as HTML; a named one is a link to `addressOf` its name. */
export class SchemaHtml {
  readonly #addressOf: (name: string) => string;

  constructor(addressOf: (name: string) => string) {
    this.#addressOf = addressOf;
  }

  /** The type of a value. */
  type(schema: Schema): string {
    const { $ref, type, items, const: only } = schema;
    if (typeof $ref === 'string') {
      const name = $ref.slice($ref.lastIndexOf('/') + 1);
      return `<a href="${this.#addressOf(name)}">${name}</a>`;
    }
    const alternatives = [...schemasOf(schema['oneOf']), ...schemasOf(schema['anyOf'])];
    if (alternatives.length > 0) return alternatives.map((each) => this.type(each)).join(' or ');
    if (only !== undefined) return code(only);
    if (Array.isArray(schema['enum'])) return (schema['enum'] as unknown[]).map(code).join(' · ');
    if (isObject(items)) return `list of ${this.type(items)}`;
    const types = Array.isArray(type)
      ? (type as unknown[]).map(String)
      : [typeof type === 'string' ? type : 'any'];
    const { format } = schema;
    return escapeHtml(types.join(' or ') + (typeof format === 'string' ? ` (${format})` : ''));
  }

  /** A row of a table of members or parameters: name, type and description. */
  row(name: string, isRequired: boolean, schema: Schema, description?: string): string {
    const meaning = description ?? schema['description'] ?? schema['title'];
    const text = typeof meaning === 'string' ? inlineHtml(meaning) : '';
    const mark = isRequired ? '' : ' <span class="optional">optional</span>';
    const { items } = schema;
    const inner = this.members(schema) || (isObject(items) ? this.members(items) : '');
    return `<div class="row"><dt>${code(name)}${mark}</dt><dd><span class="type">${this.type(schema)}</span> ${text} ${boundsHtml(schema)}${inner}</dd></div>`;
  }

  /** The members of an object's schema as a definition list; empty if it has none. */
  members(schema: Schema): string {
    const { properties } = schema;
    if (!isObject(properties)) return '';
    const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
    const rows = Object.entries(properties).flatMap(([name, member]) =>
      isObject(member) ? [this.row(name, required.includes(name), member)] : [],
    );
    return rows.length === 0 ? '' : `<dl>${rows.join('\n')}</dl>`;
  }
}
