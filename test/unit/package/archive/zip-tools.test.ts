import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { bufferSource } from '../../../../shared/package/archive/source.ts';
import { validatePackage } from '../../../../shared/package/validate-package.ts';
import { testSettings } from '../../../support/package-builder.ts';
import { toolArchive } from '../../../support/tool-archives.ts';
import {
  keptArchive,
  keptVersions,
  TOOL_FILES,
  VERSIONS_FILE,
  ZIP_TOOLS,
} from '../../../support/zip-tools.ts';

async function resultOf(archive: Buffer) {
  const { problems, content } = await validatePackage(bufferSource(archive), testSettings());
  return {
    codes: [...new Set(problems.map(({ code }) => code))],
    paths: content?.files.map(({ path }) => path),
  };
}

const FILES = Object.keys(TOOL_FILES)
  .filter((path) => path !== 'moduleSchema.json')
  .toSorted();

test.each(ZIP_TOOLS.map((each) => [each.tool, each] as const))(
  '%s: the result is that of docs/package.md, with one kind of problem at most',
  async (_name, tool) => {
    const { codes, paths } = await resultOf(toolArchive(tool));
    expect(codes).toEqual(tool.result === null ? [] : [tool.result]);
    const written = tool.tool === 'Explorer' ? FILES.filter((each) => /^[\x20-\x7e]*$/.test(each)) : FILES;
    if (paths !== undefined) expect(paths.toSorted()).toEqual(written);
  },
);

test('docs/package.md says of each tool whether it was run: then its version and its archive are kept, else none', () => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../../../docs/package.md'), 'utf8');
  const section = page.split(/^## /m).find((each) => each.startsWith('ZIP tools'));
  const rows = section?.match(/^\| .*/gm)?.slice(2) ?? [];
  const triedWith = new Map(
    rows.map((row) => row.split('|').map((cell) => cell.trim())).map((cells) => [cells[1], cells[4]]),
  );
  expect(triedWith.size).toBe(ZIP_TOOLS.length);
  const run = ZIP_TOOLS.filter(({ programs }) => programs.length > 0);
  for (const { tool, programs } of ZIP_TOOLS)
    expect(triedWith.get(tool), tool).toMatch(
      programs.length > 0 ? /, run$/ : /^not run; built like real archives of /,
    );
  expect(Object.keys(keptVersions()).toSorted()).toEqual(run.map(({ tool }) => tool).toSorted());
  const kept = readdirSync(path.dirname(VERSIONS_FILE)).filter((name) => name.endsWith('.zip'));
  expect(kept.toSorted()).toEqual(run.map(({ tool }) => path.basename(keptArchive(tool))).toSorted());
});

test.each(
  ZIP_TOOLS.filter(({ programs }) => programs.includes('dotnet')).map((each) => [each.tool, each] as const),
)(
  '%s: the system in the headers does not change the result, which on Windows is another',
  async (_name, tool) => {
    const archive = toolArchive(tool);
    const result = await resultOf(archive);
    for (let at = archive.indexOf('PK\x01\x02'); at !== -1; at = archive.indexOf('PK\x01\x02', at + 1))
      archive.writeUInt8(0, at + 5);
    expect(await resultOf(archive)).toEqual(result);
  },
);
