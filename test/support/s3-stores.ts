import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findProgram } from './find-program.ts';

/** The credentials of an S3 server in tests. */
export const S3_KEYS = { accessKeyId: 'test-access', secretAccessKey: 'test-secret' };

/** How a server is started. */
interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

/** An S3 server that tests run on. */
export interface S3Store {
  readonly name: string;
  isInstalled(): boolean;
  /** The commands that install it, without a shell. */
  readonly install: readonly (readonly string[])[];
  /** The command that serves a folder at the port. */
  command(port: number, root: string): ServerCommand | Promise<ServerCommand>;
  /** The settings of the service that it needs. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Where Maven puts s3proxy and what it needs: it is in no single file. */
const S3PROXY = path.resolve('.test-data/stores/s3proxy');

/** Buckets are folders. The tests of every run use it. */
export const VERSITYGW: S3Store = {
  name: 'versitygw',
  isInstalled: () => findProgram('versitygw') !== null,
  install: [['go', 'install', 'github.com/versity/versitygw/cmd/versitygw@v1.8.0']],
  command: (port, root) => ({
    program: findProgram('versitygw') ?? 'versitygw',
    args: [
      ...[
        '--port',
        `127.0.0.1:${port}`,
        '--access',
        S3_KEYS.accessKeyId,
        '--secret',
        S3_KEYS.secretAccessKey,
      ],
      ...['--quiet', '--keep-alive', 'posix', root],
    ],
  }),
  settings: {},
};

const MINIO: S3Store = {
  name: 'minio',
  isInstalled: () => findProgram('minio') !== null,
  // The commit of its last release.
  install: [['go', 'install', 'github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c']],
  command: (port, root) => ({
    program: findProgram('minio') ?? 'minio',
    args: ['server', '--quiet', '--address', `127.0.0.1:${port}`, root],
    variables: {
      MINIO_ROOT_USER: S3_KEYS.accessKeyId,
      MINIO_ROOT_PASSWORD: S3_KEYS.secretAccessKey,
      MINIO_BROWSER: 'off',
    },
  }),
  settings: {},
};

/** Refuses each header that it does not know, such as those of CRC32 checksums. */
const S3_PROXY: S3Store = {
  name: 's3proxy',
  isInstalled: () => existsSync(path.join(S3PROXY, 's3proxy-2.6.0.jar')),
  install: [
    [
      ...['mvn', '--quiet', '--batch-mode', '--file', 'test/stores/s3proxy.xml'],
      ...['dependency:copy-dependencies', `-DoutputDirectory=${S3PROXY}`],
    ],
  ],
  async command(port, root) {
    const properties = path.join(root, 's3proxy.properties');
    const folder = path.join(root, 'buckets');
    await mkdir(folder);
    const lines = [
      `s3proxy.endpoint=http://127.0.0.1:${port}`,
      's3proxy.authorization=aws-v4',
      `s3proxy.identity=${S3_KEYS.accessKeyId}`,
      `s3proxy.credential=${S3_KEYS.secretAccessKey}`,
      'jclouds.provider=filesystem-nio2',
      'jclouds.identity=unused',
      'jclouds.credential=unused',
      `jclouds.filesystem.basedir=${folder}`,
    ];
    await writeFile(properties, lines.join('\n'));
    const classPath = path.join(S3PROXY, '*');
    return {
      program: 'java',
      args: ['-cp', classPath, 'org.gaul.s3proxy.Main', '--properties', properties],
    };
  },
  settings: { S3_CHECKSUMS: 'when-required' },
};

/** Every S3 server that tests run on. */
export const S3_STORES: readonly S3Store[] = [VERSITYGW, MINIO, S3_PROXY];

/** The store of this name. */
export function storeNamed(name: string): S3Store {
  const store = S3_STORES.find((each) => each.name === name);
  if (store === undefined) throw new Error(`there is no store ${name}`);
  return store;
}
