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
  [/\.(?:pem|key)$/, 'layout-file-suspicious', 'a file that may contain a private key'],
];

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
