import { problem, type Problem } from '../problem.ts';
import { quoteText } from '../text/quote-value.ts';

/** A file or folder of a build that is not meant for the public. */
export interface PrivateFile {
  /** The path of the file, or of the folder that has it. */
  readonly entry: string;
  readonly code: 'layout-file-secret' | 'layout-file-suspicious';
  readonly meaning: string;
}

/** Folders of version control have every earlier version, with what was removed from it. */
const HISTORY_FOLDER = '.git';

/** Names as npm, SSH and Java give them; letter case does not matter. */
const NAMES: readonly (readonly [RegExp, PrivateFile['code'], string])[] = [
  [/^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/, 'layout-file-secret', 'a private SSH key'],
  [/\.(?:p12|pfx|jks|keystore|ppk)$/, 'layout-file-secret', 'a store of private keys'],
  [/^\.env(?:\..*)?$/, 'layout-file-suspicious', 'a file of environment variables'],
  [
    /^\.(?:npmrc|yarnrc|yarnrc\.yml|netrc|pypirc|pgpass|htpasswd|dockercfg|git-credentials)$/,
    'layout-file-suspicious',
    'a file that may contain tokens',
  ],
];

/** Files that are private by their content: keys in the text form of OpenSSL and OpenSSH, and source maps. */
const READ_NAMES = /\.(?:pem|key|map)$/i;
/** As OpenSSL, OpenSSH and PGP begin one. */
const PRIVATE_KEY = /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/;
/** A source map with the text of a source: null stands for one that is left out. */
const SOURCE_TEXT = /"sourcesContent"\s*:\s*\[(?:\s*null\s*,)*\s*"/;

/** What a path of the build is by its name; null if it is nothing to mention. */
export function privateFileIn(path: string): PrivateFile | null {
  const segments = path.split('/');
  const history = segments.slice(0, -1).indexOf(HISTORY_FOLDER);
  if (history !== -1) {
    const entry = `${segments.slice(0, history + 1).join('/')}/`;
    return { entry, code: 'layout-file-secret', meaning: 'the history of a repository' };
  }
  const name = (segments.at(-1) ?? '').toLowerCase();
  const found = NAMES.find(([pattern]) => pattern.test(name));
  return found === undefined ? null : { entry: path, code: found[1], meaning: found[2] };
}

/** Whether a file of the build is to be read, because its content says whether it is private. */
export function isReadForPrivateContent(path: string): boolean {
  return READ_NAMES.test(path);
}

/** What a file of the build is by its content; null if it is nothing to mention. */
export function privateContentOf(content: Buffer, entry: string): PrivateFile | null {
  if (!isReadForPrivateContent(entry)) return null;
  const text = content.toString('latin1');
  if (PRIVATE_KEY.test(text)) return { entry, code: 'layout-file-secret', meaning: 'a private key' };
  return entry.toLowerCase().endsWith('.map') && SOURCE_TEXT.test(text)
    ? { entry, code: 'layout-file-suspicious', meaning: 'a source map with the source code' }
    : null;
}

/** The problem of a file that everybody could read. */
export function privateFileProblem({ entry, code, meaning }: PrivateFile): Problem {
  return problem(code, `${quoteText(entry)} is ${meaning}, and everybody can read the build. Remove it.`, {
    entry,
  });
}
