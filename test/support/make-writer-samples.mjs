// Makes the samples in test/fixtures/zip/writers/ with the tools that people pack with. By hand:
//
//   npm install --prefix /tmp/writers archiver yazl jszip fflate adm-zip
//   node test/support/make-writer-samples.mjs /tmp/writers
//
// Needs zip, 7z, bsdtar, python3, jar and go on the path, and the locale en_US.UTF-8 and a zip that marks UTF-8 names
// in it, which Debian's does not. Each sample has the same files; index.json describes them.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const writersFolder = process.argv[2];
if (writersFolder === undefined) throw new Error('pass the folder where the npm writers are installed');
const require = createRequire(resolve(writersFolder, 'package.json'));
const outFolder = resolve(import.meta.dirname, '../fixtures/zip/writers');
const workFolder = mkdtempSync(join(tmpdir(), 'writer-samples-'));
const tree = join(workFolder, 'tree');
const when = new Date('2024-05-06T07:08:10Z');

const ascii = {
  'moduleSchema.json': '{ "schema": "1.0" }\n',
  'PackageArtifact/build/index.js': 'console.log("hello");\n'.repeat(300),
  'PackageArtifact/build/empty.txt': '',
  'PackageArtifact/build/deep/noise.bin': Buffer.from(
    Array.from({ length: 600 }, (_, index) => ((index * index * 7919) >> 3) & 0xff),
  ),
};
const unicode = {
  ...ascii,
  'ModuleToS/Bedingungen-für-é.txt': 'für\n',
  'ModuleToS/условия.txt': 'условия\n',
};
const index = {};

function out(name) {
  return join(outFolder, name);
}

function add(name, files) {
  index[name] = Object.fromEntries(
    Object.entries(files)
      .map(([path, content]) => [path, createHash('sha256').update(content).digest('hex')])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function plant(files) {
  rmSync(tree, { recursive: true, force: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(tree, dirname(path)), { recursive: true });
    writeFileSync(join(tree, path), content);
    utimesSync(join(tree, path), when, when);
  }
}

/** Runs a shell line in the tree of files, with `$OUT` as the sample's path. */
function shell(name, files, line, environment = {}) {
  plant(files);
  rmSync(out(name), { force: true });
  const env = { ...process.env, TZ: 'UTC', LC_ALL: 'C.UTF-8', ...environment, OUT: out(name) };
  execFileSync('bash', ['-euc', line], { cwd: tree, env, stdio: ['ignore', 'ignore', 'inherit'] });
  add(name, files);
}

/** Runs a program text under an interpreter; the tree is its folder, the sample's path its argument. */
function program(name, files, extension, command, text) {
  plant(files);
  const path = join(workFolder, `program${extension}`);
  writeFileSync(path, text);
  rmSync(out(name), { force: true });
  execFileSync(command[0], [...command.slice(1), path, out(name)], {
    cwd: tree,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  add(name, files);
}

function withTools() {
  shell('info-zip.zip', ascii, 'zip -qr "$OUT" *');
  shell('info-zip-stored-no-folders.zip', ascii, 'zip -q0Dr "$OUT" *');
  shell('info-zip-streamed.zip', ascii, 'zip -qr - * | cat > "$OUT"');
  shell('info-zip-zip64.zip', ascii, 'zip -qr -fz "$OUT" *');
  shell('info-zip-commented.zip', ascii, 'zip -qr "$OUT" * && echo "a comment" | zip -qz "$OUT"');
  shell('info-zip-utf8.zip', unicode, 'zip -qr "$OUT" *', { LC_ALL: 'en_US.UTF-8' });
  shell('info-zip-debian.zip', unicode, 'zip -qr "$OUT" .');
  shell('7zip.zip', unicode, '7z a -tzip "$OUT" *');
  shell('7zip-stored.zip', unicode, '7z a -tzip -mx=0 "$OUT" *');
  shell('7zip-utf8.zip', unicode, '7z a -tzip -mcu=on "$OUT" *');
  shell('bsdtar.zip', unicode, 'bsdtar -a -cf "$OUT" *');
  shell('bsdtar-root.zip', unicode, 'bsdtar -a -cf "$OUT" .');
  shell('bsdtar-stored.zip', unicode, 'bsdtar -cf "$OUT" --format zip --options zip:compression=store *');
  shell('bsdtar-zip64.zip', ascii, 'bsdtar -cf "$OUT" --format zip --options zip:zip64 *');
  shell('jar.zip', unicode, 'jar cMf "$OUT" *');
  shell('jar-stored.zip', unicode, 'jar c0Mf "$OUT" *');
  shell('jar-streamed.zip', unicode, 'jar cM * | cat > "$OUT"');
}

const pythonText = (open, write) => `
import sys, os, zipfile
def paths():
    for folder, folders, files in os.walk('.'):
        folders.sort()
        for each in sorted(files):
            yield os.path.relpath(os.path.join(folder, each), '.')
${open}
with target as z:
    for path in paths():
        ${write}
`;

const goText = (prologue, method) => `package main
import ("archive/zip"; "io"; "io/fs"; "os"; "path/filepath")
func main() {
  out, _ := os.Create(os.Args[len(os.Args)-1])
  z := zip.NewWriter(out)
  ${prologue}
  filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
    if d.IsDir() { return nil }
    w, err := z.CreateHeader(&zip.FileHeader{Name: filepath.ToSlash(path), Method: ${method}})
    if err != nil { panic(err) }
    f, _ := os.Open(path)
    io.Copy(w, f)
    return f.Close()
  })
  z.Close()
  out.Close()
}
`;

function withLanguages() {
  const toFile = "target = zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED)";
  const toPipe = `
class Pipe:
    def __init__(self, path): self.file = open(path, 'wb')
    def write(self, data): return self.file.write(data)
    def flush(self): self.file.flush()
target = zipfile.ZipFile(Pipe(sys.argv[1]), 'w', zipfile.ZIP_DEFLATED)`;
  const python = ['python3'];
  program('python.zip', unicode, '.py', python, pythonText(toFile, 'z.write(path)'));
  program(
    'python-stored.zip',
    unicode,
    '.py',
    python,
    pythonText(toFile, 'z.write(path, compress_type=zipfile.ZIP_STORED)'),
  );
  program('python-streamed.zip', unicode, '.py', python, pythonText(toPipe, 'z.write(path)'));
  const zip64 =
    "with z.open(zipfile.ZipInfo(path), 'w', force_zip64=True) as w: w.write(open(path, 'rb').read())";
  program('python-zip64.zip', unicode, '.py', python, pythonText(toFile, zip64));
  program('python-zip64-streamed.zip', unicode, '.py', python, pythonText(toPipe, zip64));
  program('go.zip', unicode, '.go', ['go', 'run'], goText('', 'zip.Deflate'));
  program('go-stored.zip', unicode, '.go', ['go', 'run'], goText('', 'zip.Store'));
  program(
    'go-folders.zip',
    unicode,
    '.go',
    ['go', 'run'],
    goText('z.Create("PackageArtifact/")', 'zip.Deflate'),
  );
}

async function withArchiver(name, files, options) {
  const { ZipArchive } = require('archiver');
  const archive = new ZipArchive(options);
  for (const [path, content] of Object.entries(files)) {
    const body = options.asStreams ? Readable.from([Buffer.from(content)]) : Buffer.from(content);
    archive.append(body, { name: path, date: when });
  }
  const done = pipeline(archive, createWriteStream(out(name)));
  await archive.finalize();
  await done;
  add(name, files);
}

async function withYazl(name, files, options) {
  const { ZipFile } = require('yazl');
  const file = new ZipFile();
  if (options.folders) file.addEmptyDirectory('PackageArtifact', { mtime: when });
  for (const [path, content] of Object.entries(files)) {
    const each = {
      mtime: when,
      compress: options.compress ?? true,
      forceZip64Format: options.zip64 ?? false,
    };
    if (options.asStreams) file.addReadStream(Readable.from([Buffer.from(content)]), path, each);
    else file.addBuffer(Buffer.from(content), path, each);
  }
  file.end({ forceZip64Format: options.zip64 ?? false });
  await pipeline(file.outputStream, createWriteStream(out(name)));
  add(name, files);
}

async function withJszip(name, files, options) {
  const JSZip = require('jszip');
  const zip = new JSZip();
  for (const [path, content] of Object.entries(files))
    zip.file(path, content, { date: when, createFolders: true });
  writeFileSync(
    out(name),
    await zip.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE', ...options }),
  );
  add(name, files);
}

function withFflate(files) {
  const fflate = require('fflate');
  const contents = Object.fromEntries(
    Object.entries(files).map(([path, each]) => [path, new Uint8Array(Buffer.from(each))]),
  );
  writeFileSync(out('fflate.zip'), fflate.zipSync(contents, { mtime: when }));
  writeFileSync(out('fflate-stored.zip'), fflate.zipSync(contents, { mtime: when, level: 0 }));
  const parts = [];
  const zip = new fflate.Zip((error, part) => {
    if (error) throw error;
    parts.push(part);
  });
  for (const [path, content] of Object.entries(contents)) {
    const entry = new fflate.ZipDeflate(path);
    entry.mtime = when;
    zip.add(entry);
    entry.push(content, true);
  }
  zip.end();
  writeFileSync(out('fflate-streamed.zip'), Buffer.concat(parts));
  for (const name of ['fflate.zip', 'fflate-stored.zip', 'fflate-streamed.zip']) add(name, files);
}

function withAdmZip(files) {
  const AdmZip = require('adm-zip');
  const zip = new AdmZip();
  zip.addFile('PackageArtifact/', Buffer.alloc(0));
  for (const [path, content] of Object.entries(files)) zip.addFile(path, Buffer.from(content));
  zip.writeZip(out('adm-zip.zip'));
  add('adm-zip.zip', files);
}

async function withNpmWriters() {
  await withArchiver('archiver.zip', unicode, {});
  await withArchiver('archiver-stored.zip', unicode, { store: true });
  await withArchiver('archiver-streams.zip', unicode, { asStreams: true });
  await withArchiver('archiver-zip64.zip', unicode, { forceZip64: true, asStreams: true });
  await withYazl('yazl.zip', unicode, { folders: true });
  await withYazl('yazl-stored.zip', unicode, { compress: false });
  await withYazl('yazl-streams.zip', unicode, { asStreams: true });
  await withYazl('yazl-streams-stored.zip', unicode, { asStreams: true, compress: false });
  await withYazl('yazl-zip64.zip', unicode, { zip64: true });
  await withYazl('yazl-zip64-streams.zip', unicode, { zip64: true, asStreams: true });
  await withJszip('jszip.zip', unicode, {});
  await withJszip('jszip-unix.zip', unicode, { platform: 'UNIX' });
  await withJszip('jszip-streamed.zip', unicode, { streamFiles: true });
  await withJszip('jszip-stored-streamed.zip', unicode, { streamFiles: true, compression: 'STORE' });
  withFflate(unicode);
  withAdmZip(unicode);
}

mkdirSync(outFolder, { recursive: true });
withTools();
withLanguages();
await withNpmWriters();
writeFileSync(out('index.json'), `${JSON.stringify(index, null, 1)}\n`);
rmSync(workFolder, { recursive: true, force: true });
