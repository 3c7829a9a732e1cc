import { readFileSync } from 'node:fs';
import path from 'node:path';
import { anyone } from '../auth/endpoint-access.ts';
import { SENT } from '../http/answer.ts';
import { IF_NONE_MATCH } from '../http/conditional.ts';
import { endpoint } from '../http/endpoint.ts';
import { ProblemError } from '../http/problem.ts';
import { PublicDocument, publicTextAnswers } from '../http/public-document.ts';

const MEDIA_TYPE = 'text/javascript';
/** Where the build writes the program: beside the compiled service, whether this runs compiled or not. */
const FILES = ['../../cli', '../../dist/cli'].map((each) =>
  path.resolve(import.meta.dirname, each, 'modulectl.mjs'),
);

let program: PublicDocument | undefined;

/** The program, read once; null if it was not built. */
function builtProgram(): PublicDocument | null {
  for (const file of program === undefined ? FILES : []) {
    try {
      program = new PublicDocument(readFileSync(file), MEDIA_TYPE);
      break;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
  return program ?? null;
}

/** The command line of the same version as the server. */
export const readCommandLine = endpoint('get', '/cli/modulectl.mjs', {
  id: 'readCommandLine',
  summary: 'Download modulectl',
  description: 'The command line of this version: one file that needs only Node.',
  access: anyone,
  headers: IF_NONE_MATCH,
  answers: publicTextAnswers('The program.', MEDIA_TYPE),
  problems: ['not-found'],
  handle({ request, response }) {
    const built = builtProgram();
    if (built === null) throw new ProblemError('not-found', 'This server was built without modulectl.');
    built.send(request, response);
    return SENT;
  },
});
