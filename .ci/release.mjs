// Makes a release of the version in package.json: its commit and tag, and its files with signed checksums.
// usage: npm run release -- [--dry-run] [--key FILE]
// FILE is the Ed25519 key that signs, in PEM. A dry run changes nothing in the repository, pushes nothing, and signs with
// a key of its own, unless one is named.
import { spawnSync } from 'node:child_process';
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

const NAME = 'module-import-service';
const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;
const root = path.resolve(import.meta.dirname, '..');
process.chdir(root);

try {
  await release(parseArgs({ options: { 'dry-run': { type: 'boolean' }, key: { type: 'string' } } }).values);
} catch (error) {
  console.error(`release: ${error.message}`);
  process.exitCode = 1;
}

async function release({ 'dry-run': isDryRun = false, key: keyFile }) {
  const key = signingKey(isDryRun, keyFile);
  const version = releasedVersion();
  const tag = `v${version}`;
  const folder = path.join(root, 'dist/releases', tag);
  const commit = releaseCommit(tag, changelogOf(version));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await writeFiles(folder, version, commit);
  writeChecksums(folder, key);
  console.log(`${tag} is commit ${commit}. Its files are in ${folder}:`);
  for (const file of readdirSync(folder)) console.log(`  ${file}`);
  const branch = git('symbolic-ref', '--short', 'HEAD');
  const push = ['push', '--atomic', 'origin', `${commit}:refs/heads/${branch}`, `refs/tags/${tag}`];
  if (isDryRun) {
    console.log(`Dry run. A release makes the tag ${tag}, and runs: git ${push.join(' ')}`);
    return;
  }
  git('tag', '--annotate', '--message', `Release ${version}`, tag, commit);
  git(...push);
  console.log('Pushed. Publish the files with the tag.');
}

/** The key that signs. */
function signingKey(isDryRun, keyFile) {
  if (keyFile === undefined && isDryRun) return generateKeyPairSync('ed25519').privateKey;
  if (keyFile === undefined)
    throw new Error('a release is signed: name the Ed25519 key with --key FILE, or try with --dry-run');
  const key = createPrivateKey(readFileSync(keyFile));
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(
      `${keyFile}: the key is ${key.asymmetricKeyType}, not Ed25519. Make one with: openssl genpkey -algorithm ed25519`,
    );
  return key;
}

/** The version of both packages, which has no tag yet. */
function releasedVersion() {
  const changes = git('status', '--porcelain');
  if (changes !== '') throw new Error(`the work tree has changes; commit or remove them first:\n${changes}`);
  const [version, cli] = ['package.json', 'shared/cli/package.json'].map(
    (file) => JSON.parse(readFileSync(file, 'utf8')).version,
  );
  if (!VERSION.test(version))
    throw new Error(`package.json: ${version} is not a semantic version, such as 1.2.3`);
  if (cli !== version)
    throw new Error(
      `shared/cli/package.json has version ${cli}, and package.json ${version}: set both to one`,
    );
  if (git('tag', '--list', `v${version}`) !== '')
    throw new Error(
      `version ${version} was released: the tag v${version} exists. Set the next version in package.json`,
    );
  return version;
}

/** The changelog whose section "Unreleased" has become that of the version. */
function changelogOf(version) {
  const text = readFileSync('CHANGELOG.md', 'utf8');
  if (text.includes(`\n## ${version}`))
    throw new Error(`CHANGELOG.md has a section ${version} already: set the next version in package.json`);
  const [, changes = ''] = /^## Unreleased\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(text) ?? [];
  if (changes.trim() === '')
    throw new Error('CHANGELOG.md has no changes under "## Unreleased": describe what users notice');
  const today = new Date().toISOString().slice(0, 10);
  return text.replace('## Unreleased\n', `## Unreleased\n\n## ${version} - ${today}\n`);
}

/** A commit with this changelog above HEAD, on no branch: work tree, index and branches stay as they are. */
function releaseCommit(tag, changelog) {
  const env = {
    ...process.env,
    GIT_INDEX_FILE: path.resolve(git('rev-parse', '--git-path', `release-index-${process.pid}`)),
  };
  try {
    const blob = run('git', ['hash-object', '-w', '--stdin'], { input: changelog });
    run('git', ['read-tree', 'HEAD'], { env });
    run('git', ['update-index', '--cacheinfo', `100644,${blob},CHANGELOG.md`], { env });
    return git('commit-tree', run('git', ['write-tree'], { env }), '-p', 'HEAD', '-m', `Release ${tag}`);
  } finally {
    rmSync(env.GIT_INDEX_FILE, { force: true });
  }
}

/** What the release has beside the image: sources, modulectl, OpenAPI document, schemas, bill of materials. */
async function writeFiles(folder, version, commit) {
  const inFolder = (file) => path.join(folder, file);
  const archive = inFolder(`${NAME}-${version}.tar.gz`);
  git('archive', '--format=tar.gz', `--prefix=${NAME}-${version}/`, `--output=${archive}`, commit);
  run('npm', ['run', '--silent', 'build:cli']);
  run('npm', ['pack', '--silent', path.resolve('dist/cli'), '--pack-destination', folder]);
  run('npm', ['run', '--silent', 'generate']);
  writeFileSync(inFolder('openapi.json'), readFileSync('dist/openapi.json'));
  const { FILE_SCHEMAS } = await import(path.resolve('dist/api/documents/schema-endpoints.js'));
  for (const [name, schema] of Object.entries(FILE_SCHEMAS))
    writeFileSync(inFolder(name), `${JSON.stringify(schema, null, 2)}\n`);
  writeFileSync(inFolder('sbom.cdx.json'), `${run('.ci/sbom', [])}\n`);
}

/** Writes the checksums of all files, their signature, and the public key that verifies it. */
function writeChecksums(folder, key) {
  const lines = readdirSync(folder).map((file) => {
    const digest = createHash('sha256').update(readFileSync(path.join(folder, file)));
    return `${digest.digest('hex')}  ${file}\n`;
  });
  const checksums = Buffer.from(lines.join(''));
  writeFileSync(path.join(folder, 'SHA256SUMS'), checksums);
  writeFileSync(path.join(folder, 'SHA256SUMS.sig'), sign(null, checksums, key));
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' });
  writeFileSync(path.join(folder, 'release-key.pem'), publicKey);
}

function git(...args) {
  return run('git', args);
}

/** The output of a command. @throws Error with what it says, where it fails */
function run(command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 28, ...options });
  if (result.status !== 0)
    throw new Error(`${command} ${args.join(' ')} failed: ${result.error?.message ?? result.stderr}`);
  return result.stdout.trim();
}
