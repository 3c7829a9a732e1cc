import { readFileSync } from 'node:fs';
import path from 'node:path';
import { anyone } from '../auth/endpoint-access.ts';
import { json } from '../http/answer.ts';
import { escapeHtml } from '../../shared/package/text/html.ts';
import { htmlPage } from '../http/answer/html.ts';
import { PublicDocument, publicTextAnswers } from '../http/answer/public-document.ts';
import { endpoint } from '../http/endpoint.ts';
import { found } from '../http/problem.ts';
import { IF_NONE_MATCH } from '../http/request/conditional-request.ts';
import { ownOrigin } from '../http/request/own-origin.ts';
import { integer, namedObject, sha256, text } from '../http/schema.ts';
import { DOCUMENT_LINKS } from './guide-pages.ts';
import { sendPageOrJson, withHtml } from './page-answers.ts';
import { PROBLEMS_STYLE_PATH } from './problem-pages.ts';

const MEDIA_TYPE = 'text/javascript';
const ADDRESS = '/cli/modulectl.mjs';
const NOT_BUILT = 'This server was built without modulectl.';

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

const programFile = namedObject('CommandLineProgram', 'The program `modulectl`.', {
  address: text('The path of the program on this server.'),
  sizeBytes: integer('The size of the program in bytes.'),
  sha256: sha256('The SHA-256 of the program.'),
});

const readCommandLinePage = endpoint('get', '/cli', {
  id: 'readCommandLinePage',
  summary: 'Read how to install modulectl',
  description: 'Browsers get a page with the commands.',
  access: anyone,
  answers: { 200: withHtml(json('The program.', programFile), ['Cache-Control']) },
  problems: ['not-found', 'request-invalid'],
  handle(call) {
    const { api, request } = call;
    const { sizeBytes, sha256: hash } = found(builtProgram(), NOT_BUILT);
    const origin = ownOrigin(request, api.config.server.publicUrl);
    const page = () => installHtml(origin, hash);
    return sendPageOrJson(call, page, () => ({ address: ADDRESS, sizeBytes, sha256: hash }));
  },
});

function installHtml(origin: string, hash: string): string {
  return htmlPage(
    'Install modulectl',
    PROBLEMS_STYLE_PATH,
    `<h1>Install modulectl</h1>
<p><code>modulectl</code> makes module packages, checks them on your machine and sends them to this server. It is one
file, of the server's version, and needs only Node 20.19 or newer.</p>
<h2>Download it</h2>
<p><code>curl --fail --remote-name ${escapeHtml(origin + ADDRESS)}</code></p>
<p>Or <a href="${ADDRESS}" download>download it here</a>. Its SHA-256 is <code>${hash}</code>.</p>
<h2>Run it</h2>
<p><code>node modulectl.mjs help</code></p>
<h2>See also</h2>
<p>${DOCUMENT_LINKS.join(' · ')}</p>`,
  );
}

const readCommandLine = endpoint('get', ADDRESS, {
  id: 'readCommandLine',
  summary: 'Download modulectl',
  description: 'The command line of this version: one file that needs only Node.',
  access: anyone,
  headers: IF_NONE_MATCH,
  answers: publicTextAnswers('The program.', MEDIA_TYPE),
  problems: ['not-found'],
  handle: ({ request, response }) => found(builtProgram(), NOT_BUILT).send(request, response),
});

/** The command line of the same version as the server. */
export const COMMAND_LINE_ENDPOINTS = [readCommandLinePage, readCommandLine];
