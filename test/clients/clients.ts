import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const modules = (file: string) => path.join(ROOT, 'node_modules', file);

/** A program with its arguments. */
export type Command = readonly [program: string, ...args: string[]];

/** Where a client is made. */
export interface Folders {
  /** The OpenAPI document. */
  readonly document: string;
  /** The client's own folder, with its program in it; commands run here. */
  readonly folder: string;
  /** Generators that earlier runs have installed. */
  readonly tools: string;
}

/** A generator of clients, or a library, and how the client that it makes is compiled and run. */
export interface Client {
  /** Also the name of the folder with its program. */
  readonly name: string;
  readonly version: string;
  /** Programs that must be installed. */
  readonly needs: readonly string[];
  generate(folders: Folders): readonly Command[];
  compile(folders: Folders): readonly Command[];
  run(folders: Folders): Command;
}

const TSC_OPTIONS = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'esnext'];

/** Both clients in TypeScript are checked by the compiler and bundled for Node. */
const inTypeScript = {
  needs: [],
  compile: (): readonly Command[] => [
    [
      process.execPath,
      modules('typescript/bin/tsc'),
      ...TSC_OPTIONS,
      // Not the types of everything that is installed above.
      '--types',
      'node',
      '--moduleResolution',
      'bundler',
      'main.ts',
    ],
    [process.execPath, modules('vite/bin/vite.js'), 'build', '--ssr', 'main.ts', '--logLevel', 'warn'],
  ],
  run: (): Command => [process.execPath, 'dist/main.js'],
};

const openapiTypescript: Client = {
  ...inTypeScript,
  name: 'openapi-typescript',
  version: '7.13.0',
  generate: ({ document }) => [
    [process.execPath, modules('openapi-typescript/bin/cli.js'), document, '--output', 'schema.ts'],
  ],
};

const HEY_API = '0.95.0';
const heyApi: Client = {
  ...inTypeScript,
  name: 'hey-api',
  version: HEY_API,
  generate: ({ document, tools }) => [
    [
      'npm',
      'install',
      '--silent',
      '--no-audit',
      '--no-fund',
      '--prefix',
      path.join(tools, 'hey-api'),
      `@hey-api/openapi-ts@${HEY_API}`,
      'typescript@5.9.3',
    ],
    [
      process.execPath,
      path.join(tools, 'hey-api/node_modules/@hey-api/openapi-ts/bin/run.js'),
      '--input',
      document,
      '--output',
      'client',
      '--silent',
    ],
  ],
};

const PYTHON_CLIENT = '0.29.1';
const python = (tools: string, program: string) => path.join(tools, 'python/bin', program);
const openapiPythonClient: Client = {
  name: 'openapi-python-client',
  version: PYTHON_CLIENT,
  needs: ['python3'],
  generate: ({ document, tools }) => [
    ['python3', '-m', 'venv', path.join(tools, 'python')],
    [
      python(tools, 'pip'),
      'install',
      '--quiet',
      '--disable-pip-version-check',
      `openapi-python-client==${PYTHON_CLIENT}`,
    ],
    [
      python(tools, 'openapi-python-client'),
      'generate',
      '--path',
      document,
      '--output-path',
      'client',
      '--meta',
      'none',
    ],
  ],
  compile: ({ tools }) => [[python(tools, 'python'), '-m', 'compileall', '-q', 'client', 'main.py']],
  run: ({ tools }) => [python(tools, 'python'), 'main.py'],
};

const OPENAPI_GENERATOR = '7.25.0';
const DEPENDENCY_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';
const NO_EXTRAS = ['--global-property', 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false'];

function openapiGenerator({ document, tools }: Folders, ...options: readonly string[]): readonly Command[] {
  const artifact = `org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}`;
  const jar = path.join(tools, `openapi-generator-cli-${OPENAPI_GENERATOR}.jar`);
  const copy = [`${DEPENDENCY_PLUGIN}:copy`, `-Dartifact=${artifact}`, `-DoutputDirectory=${tools}`];
  return [
    ['mvn', '-q', '-B', ...copy],
    ['java', '-jar', jar, 'generate', '-i', document, ...NO_EXTRAS, ...options],
  ];
}

const openapiGeneratorJava: Client = {
  name: 'openapi-generator-java',
  version: OPENAPI_GENERATOR,
  needs: ['java', 'mvn'],
  // Requests with named options, so that a new optional parameter breaks no caller.
  generate: (folders) =>
    openapiGenerator(
      folders,
      ...['-g', 'java', '-o', '.', '--additional-properties=useSingleRequestParameter=true'],
    ),
  compile: () => [
    ['mv', 'Main.java', 'src/main/java/'],
    ['mvn', '-q', '-B', 'compile', `${DEPENDENCY_PLUGIN}:copy-dependencies`],
  ],
  run: () => ['java', '-cp', 'target/classes:target/dependency/*', 'Main'],
};

const GO = {
  compile: (): readonly Command[] => [
    ['go', 'mod', 'tidy'],
    ['go', 'vet', './...'],
    ['go', 'build', '-o', 'chain', '.'],
  ],
  run: (): Command => ['./chain'],
};

const openapiGeneratorGo: Client = {
  ...GO,
  name: 'openapi-generator-go',
  version: OPENAPI_GENERATOR,
  needs: ['java', 'mvn', 'go'],
  generate: (folders) =>
    openapiGenerator(
      folders,
      ...['-g', 'go', '-o', 'api', '--additional-properties=packageName=api,withGoMod=false'],
    ),
};

const OAPI_CODEGEN = '2.8.2';
const oapiCodegen: Client = {
  ...GO,
  name: 'oapi-codegen',
  version: OAPI_CODEGEN,
  needs: ['go'],
  generate: ({ document }) => [
    ['mkdir', 'api'],
    [
      'go',
      'run',
      `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${OAPI_CODEGEN}`,
      ...['-generate', 'types,client', '-package', 'api', '-o', 'api/api.go', document],
    ],
  ],
};

const standardWebhooksJavaScript: Client = {
  ...inTypeScript,
  name: 'standardwebhooks-javascript',
  version: '1.1.1',
  generate: () => [],
};

const STANDARD_WEBHOOKS = '1.1.0';
const webhooksPython = (tools: string, program: string) => path.join(tools, 'webhooks/bin', program);
const standardWebhooksPython: Client = {
  name: 'standardwebhooks-python',
  version: STANDARD_WEBHOOKS,
  needs: ['python3'],
  generate: ({ tools }) => [
    ['python3', '-m', 'venv', path.join(tools, 'webhooks')],
    [
      webhooksPython(tools, 'pip'),
      ...['install', '--quiet', '--disable-pip-version-check', `standardwebhooks==${STANDARD_WEBHOOKS}`],
    ],
  ],
  compile: ({ tools }) => [[webhooksPython(tools, 'python'), '-m', 'compileall', '-q', 'main.py']],
  run: ({ tools }) => [webhooksPython(tools, 'python'), 'main.py'],
};

/** Generators that people use, and the libraries that verify webhooks. */
export const CLIENTS: readonly Client[] = [
  openapiTypescript,
  heyApi,
  openapiPythonClient,
  openapiGeneratorJava,
  openapiGeneratorGo,
  oapiCodegen,
  standardWebhooksJavaScript,
  standardWebhooksPython,
];
