import { serialize } from 'node:v8';
import { describe, expect, it } from 'vitest';

import { validateOpened, type FileToValidate } from '../../../shared/package/file-rules.ts';
import { receivedFile, sentFile } from '../../../worker/import/sent-file.ts';
import { HOSTILE_FILES } from '../../support/hostile-inputs/hostile-files.ts';
import { testCatalogue } from '../../support/package-builder.ts';

/** Room for 1,000 errors and 1,000 warnings. */
const MAX_BYTES = 1024 * 1024;

const descriptorWith = (paths: readonly string[]): FileToValidate => ({
  kind: 'descriptor',
  catalogue: testCatalogue,
  paths: new Set(paths),
});

describe('a file that a thread validates', () => {
  it('arrives with the paths of the package, whatever characters they have', async () => {
    const file = descriptorWith(['ModuleLogo/Grüße 🌾.png', 'PackageArtifact/build/\u1112\u1161\u11ab', 'a']);
    expect(receivedFile(await sentFile(file))).toEqual(file);
  });

  it('arrives as it is where it needs no paths', async () => {
    const file = { kind: 'image', svgBytes: 1 } as const;
    expect(receivedFile(await sentFile(file))).toEqual(file);
  });

  it.each(HOSTILE_FILES.filter(([, path]) => path === 'moduleSchema.json'))(
    'gives back at most 1 MiB of findings: %s',
    (_title, path, content) => {
      const proof = { sha256: '', dataOffset: 0, packedCrc32: 0 };
      const opened = { content: Buffer.from(content()), proof };
      expect(serialize(validateOpened(opened, path, descriptorWith([path]))).length).toBeLessThan(MAX_BYTES);
    },
  );
});
