import { styleText } from 'node:util';
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

/** The one place that writes: data to standard output, talk to standard error. */
export class Output {
  readonly dataIsColoured: boolean;
  readonly talkIsColoured: boolean;
  /** Columns of the terminal that data goes to. */
  readonly width: number;
  readonly #data: OutputStream;
  readonly #talk: OutputStream;

  /** `colour` null: where the stream is a terminal. */
  constructor(data: OutputStream, talk: OutputStream, colour: boolean | null) {
    this.#data = data;
    this.#talk = talk;
    this.dataIsColoured = colour ?? data.isTTY === true;
    this.talkIsColoured = colour ?? talk.isTTY === true;
    this.width = Math.min(Math.max(data.columns ?? STANDARD_WIDTH, SMALLEST_WIDTH), GREATEST_WIDTH);
  }

  /** Whether talk goes to a terminal, where a line can be drawn again. */
  get talkIsTerminal(): boolean {
    return this.#talk.isTTY === true;
  }

  get dataStyle(): Style {
    return this.dataIsColoured ? COLOURED : PLAIN;
  }

  get talkStyle(): Style {
    return this.talkIsColoured ? COLOURED : PLAIN;
  }

  /** Data as it is, line breaks included. */
  data(text: string): void {
    this.#data.write(text);
  }

  /** JSON, byte for byte but on a terminal, which would obey what strings hold. */
  json(text: string): void {
    this.data(this.#data.isTTY === true ? showableJson(text) : text);
  }

  /** Talk as it is, line breaks included. */
  talk(text: string): void {
    this.#talk.write(text);
  }

  /** One line of talk; what a terminal would obey is escaped. */
  say(line: string): void {
    this.talk(`${safeLines(line)}\n`);
  }

  warn(line: string): void {
    this.talk(`${this.talkStyle('yellow', 'warning:')} ${safeLines(line)}\n`);
  }

  fail(line: string): void {
    this.talk(`${this.talkStyle('red', 'modulectl:')} ${safeLines(line)}\n`);
  }
}

function safeLines(text: string): string {
  return text.split('\n').map(showableText).join('\n');
}
