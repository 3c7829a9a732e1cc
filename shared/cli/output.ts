import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { showableJson, showableText } from '../package/text/showable-text.ts';

/** What of a standard stream is used. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

type Colour = 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow';

/** Puts text into a colour, or leaves it as it is. */
export type Style = (colour: Colour | readonly Colour[], text: string) => string;

const PLAIN: Style = (_colour, text) => text;
// Whether there is colour is decided here, and not by what Node finds out about its own standard output.
const COLOURED: Style = (colour, text) =>
  styleText(typeof colour === 'string' ? colour : [...colour], text, { validateStream: false });

const STANDARD_WIDTH = 80;
const SMALLEST_WIDTH = 40;
const GREATEST_WIDTH = 120;
const GAP = '  ';

/** The only writer: data to standard output, messages to standard error. */
export class Output {
  readonly dataIsColoured: boolean;
  readonly messagesAreColoured: boolean;
  /** Columns of the terminal that data goes to. */
  readonly width: number;
  readonly #data: OutputStream;
  readonly #messages: OutputStream;

  /** `colour` null: where the stream is a terminal. */
  constructor(data: OutputStream, messages: OutputStream, colour: boolean | null) {
    this.#data = data;
    this.#messages = messages;
    this.dataIsColoured = colour ?? data.isTTY === true;
    this.messagesAreColoured = colour ?? messages.isTTY === true;
    this.width = Math.min(Math.max(data.columns ?? STANDARD_WIDTH, SMALLEST_WIDTH), GREATEST_WIDTH);
  }

  /** Whether messages go to a terminal, where a line can be drawn again. */
  get hasTerminal(): boolean {
    return this.#messages.isTTY === true;
  }

  get dataStyle(): Style {
    return this.dataIsColoured ? COLOURED : PLAIN;
  }

  get messageStyle(): Style {
    return this.messagesAreColoured ? COLOURED : PLAIN;
  }

  /** Data as it is, line breaks included. */
  data(text: string): void {
    this.#data.write(text);
  }

  /** A value as JSON; escaped on a terminal, which would obey what strings hold. */
  json(value: unknown, indent = 0): void {
    const text = `${JSON.stringify(value, null, indent)}\n`;
    this.data(this.#data.isTTY === true ? showableJson(text) : text);
  }

  /** Items as JSON, or as a table: by heading what each column shows. */
  list<Item>(
    items: readonly Item[],
    isJson: boolean,
    columns: Readonly<Record<string, (item: Item) => string>>,
  ): void {
    if (isJson) {
      this.json(items);
      return;
    }
    const headings = Object.keys(columns);
    const rows = items.map((item) => Object.values(columns).map((cell) => showableText(cell(item))));
    const widths = headings.map((_, column) =>
      Math.max(...[headings, ...rows].map((row) => stringWidth(row[column] ?? ''))),
    );
    const line = (cells: readonly string[]) =>
      cells
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - stringWidth(cell)))
        .join(GAP)
        .trimEnd();
    this.data([this.dataStyle('bold', line(headings)), ...rows.map(line), ''].join('\n'));
  }

  /** Messages as they are, line breaks included. */
  messages(text: string): void {
    this.#messages.write(text);
  }

  /** One message; what a terminal would obey is escaped. */
  say(line: string): void {
    this.messages(`${safeLines(line)}\n`);
  }

  warn(line: string): void {
    this.messages(`${this.messageStyle('yellow', 'warning:')} ${safeLines(line)}\n`);
  }

  fail(line: string): void {
    this.messages(`${this.messageStyle('red', 'modulectl:')} ${safeLines(line)}\n`);
  }
}

/** Text whose lines are safe to show on a terminal. */
export function safeLines(text: string): string {
  return text.split('\n').map(showableText).join('\n');
}
