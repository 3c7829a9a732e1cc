import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, inject } from 'vitest';
import type { Variables } from '../../shared/cli/settings.ts';
import { runHere, type CliRun } from './run-modulectl.ts';
import { samplePackage, type SampleOptions } from './sample-package.ts';
import type { TestApp, TestOrganization } from './test-app.ts';

/** A vendor who uses `modulectl` with the server of a test app, from a folder of its own. */
export class CliVendor {
  readonly organization: TestOrganization;
  readonly scratch: string;
  readonly #app: TestApp;

  private constructor(app: TestApp, organization: TestOrganization, scratch: string) {
    this.#app = app;
    this.organization = organization;
    this.scratch = scratch;
  }

  static async join(app: TestApp): Promise<CliVendor> {
    const scratch = path.join(inject('scratch'), `vendor-${randomUUID()}`);
    await mkdir(scratch, { recursive: true });
    return new CliVendor(app, await app.organization(), scratch);
  }

  get token(): string {
    return this.organization.admin.replace('Bearer ', '');
  }

  /** Its environment variables, which name the server. */
  get variables(): Variables {
    return {
      MODULECTL_SERVER: this.#app.url,
      MODULECTL_TOKEN: this.token,
      MODULECTL_ORG: this.organization.id,
    };
  }

  /** Runs a command; checks that its output does not contain the token. */
  async run(...args: string[]): Promise<CliRun> {
    return this.runWith({}, ...args);
  }

  /** Runs a command in another environment. */
  async runWith(variables: Variables, ...args: string[]): Promise<CliRun> {
    const { scratch } = this;
    const ran = await runHere(args, { scratch, variables: { ...this.variables, ...variables } });
    expect(ran.stdout + ran.stderr).not.toContain(this.token);
    return ran;
  }

  async writePackage(options: SampleOptions = {}): Promise<string> {
    const file = path.join(this.scratch, `${randomUUID()}.zip`);
    await writeFile(file, samplePackage(this.#app.api.catalogue, options));
    return file;
  }

  /** Imports a package. @returns the module's ID */
  async importedModule(): Promise<string> {
    const { stdout } = await this.run('import', await this.writePackage(), '--json');
    return (JSON.parse(stdout) as { moduleId: string }).moduleId;
  }
}
