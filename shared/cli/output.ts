import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { showableJson, showableText } from '../package/text/showable-text.ts';

/** The used part of a standard stream. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

type Colour = 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow';

/** Colours text, or returns it unchanged. */
export type Style = (colour: Colour | readonly Colour[], text: string) => string;

const PLAIN: Style = (_colour, text) => text;
// Colour is decided here, not by Node's detection for its own standard output.
const COLOURED: Style = (colour, text) =>
  styleText(typeof colour === 'string' ? colour : [...colour], text, { validateStream: false });

const STANDARD_WIDTH = 80;
const SMALLEST_WIDTH = 40;
const GREATEST_WIDTH = 120;
const GAP = '  ';

/** The cells of an item by the headings of a table. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => string>>;

/** Writes data to standard output and messages to standard error. */
export class Output {
  readonly dataIsColoured: boolean;
  readonly messagesAreColoured: boolean;
  /** Columns of the terminal that data goes to. */
  readonly width: number;
  readonly #data: OutputStream;
  readonly #messages: OutputStream;

  /** `colour` null: colour if the stream is a terminal. */
  constructor(data: OutputStream, messages: OutputStream, colour: boolean | null) {
    this.#data = data;
    this.#messages = messages;
    this.dataIsColoured = colour ?? data.isTTY === true;
    this.messagesAreColoured = colour ?? messages.isTTY === true;
    this.width = Math.min(Math.max(data.columns ?? STANDARD_WIDTH, SMALLEST_WIDTH), GREATEST_WIDTH);
  }

  /** Whether messages go to a terminal, where a line can be redrawn. */
  get hasTerminal(): boolean {
    return this.#messages.isTTY === true;
  }

  get dataStyle(): Style {
    return this.dataIsColoured ? COLOURED : PLAIN;
  }

  get messageStyle(): Style {
    return this.messagesAreColoured ? COLOURED : PLAIN;
  }

  /** Writes data unchanged. */
  data(text: string): void {
    this.#data.write(text);
  }

  /** Writes a line of data; control characters are escaped. */
  line(text: string): void {
    this.data(`${showableText(text)}\n`);
  }

  /** Writes a value as JSON; control characters are escaped on a terminal. */
  json(value: unknown, indent = 0): void {
    const text = `${JSON.stringify(value, null, indent)}\n`;
    this.data(this.#data.isTTY === true ? showableJson(text) : text);
  }

  /** Writes items as a table. */
  table<Item>(items: readonly Item[], columns: Columns<Item>): void {
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

  /** Writes a title, and a line for each field that has a value. */
  fields(title: string, fields: Readonly<Record<string, string | number | null>>): void {
    const lines = Object.entries(fields).flatMap(([name, value]) =>
      value === null ? [] : [`  ${name.padEnd(9)} ${showableText(String(value))}`],
    );
    this.data([this.dataStyle('bold', title), ...lines, ''].join('\n'));
  }

  /** Writes messages unchanged. */
  messages(text: string): void {
    this.#messages.write(text);
  }

  /** Writes one message; control characters are escaped. */
  say(line: string): void {
    this.messages(`${safeLines(line)}\n`);
  }

  /** Writes a secret for a file or a variable; what it is of goes to the person. Null is for repeats, which no command sends. */
  secret(about: string, secret: string | null): void {
    this.say(`${about}\nStore it now: it is not shown again.`);
    this.data(`${secret ?? ''}\n`);
  }

  warn(line: string): void {
    this.messages(`${this.messageStyle('yellow', 'warning:')} ${safeLines(line)}\n`);
  }

  fail(line: string): void {
    this.messages(`${this.messageStyle('red', 'modulectl:')} ${safeLines(line)}\n`);
  }
}

/** A date-time of the server for people, in UTC. */
export function timeOf(dateTime: string): string {
  return dateTime.slice(0, 19).replace('T', ' ');
}

/** Text whose lines are safe to show on a terminal. */
export function safeLines(text: string): string {
  return text.split('\n').map(showableText).join('\n');
}
