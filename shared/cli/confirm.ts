import { createInterface } from 'node:readline';
import { showableText } from '../package/text/showable-text.ts';
import { CannotRunError } from './exit-codes.ts';
import type { Cli } from './settings.ts';

/**
 * Whether the person types this name.
 * @throws CannotRunError if there is no terminal to type in.
 */
export async function confirm(
  { input, output }: Pick<Cli, 'input' | 'output'>,
  name: string,
): Promise<boolean> {
  if (input.isTTY !== true)
    throw new CannotRunError('This needs a confirmation. Run it in a terminal, or use --yes.');
  const shown = showableText(name.trim());
  output.messages(`Type ${output.messageStyle('bold', shown)} to confirm: `);
  const lines = createInterface({ input, terminal: false });
  try {
    for await (const line of lines) return line.trim() === shown;
    output.say('');
    return false;
  } finally {
    lines.close();
  }
}
