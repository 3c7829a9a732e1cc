import { execFileSync } from 'node:child_process';
import { readdirSync, realpathSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Where `.ci/zip-tools` installs the runtime. */
export const DOTNET_FOLDER = path.resolve(import.meta.dirname, '../../../.test-data/dotnet/bin');

const REFERENCES = [
  'System.Private.CoreLib',
  'System.Runtime',
  'System.Runtime.Extensions',
  'System.IO.FileSystem',
  'System.Linq',
  'System.IO.Compression',
  'System.IO.Compression.ZipFile',
];

/** Compiles a program for the runtime, whose own assemblies are the references: no SDK is needed. */
export async function compileForDotnet(source: string, target: string): Promise<void> {
  const program = realpathSync(path.join(DOTNET_FOLDER, 'dotnet'));
  const name = 'Microsoft.NETCore.App';
  const versions = path.join(path.dirname(program), 'shared', name);
  const [version = ''] = readdirSync(versions);
  const references = REFERENCES.map((each) => `-r:${path.join(versions, version, each)}.dll`);
  const flags = ['-nostdlib', '-noconfig', '-nowarn:1702'];
  execFileSync('mcs', [...flags, ...references, `-out:${target}`, source], { stdio: 'inherit' });
  const configProperties = { 'System.Globalization.Invariant': true };
  const runtimeOptions = { framework: { name, version }, configProperties };
  await writeFile(target.replace(/\.dll$/, '.runtimeconfig.json'), JSON.stringify({ runtimeOptions }));
}
