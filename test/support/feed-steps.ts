import { randomUUID } from 'node:crypto';
import { FARMERS, type Step } from './feed-rounds.ts';
import { areaIds } from './machine-access.ts';
import { organizationBody } from './organization-body.ts';
import { definition } from './rule-market.ts';
import { samplePackage } from './sample-package.ts';
import type { Caller, TestModule } from './caller.ts';
import type { TestApp, TestOrganization } from './test-app.ts';

/** A vendor with a module, and farmers. */
export class SteppedModule {
  readonly #app: TestApp;
  readonly #vendor: TestOrganization;
  readonly #farmers: readonly TestOrganization[];
  readonly #farmIds = Array.from({ length: FARMERS }, () => randomUUID());
  readonly moduleId = randomUUID();
  #key = '';
  #newest = 0;
  #isInQuarantine = false;
  /** Before that, and after a deletion, definitions are those of a preview. */
  isReleased = false;

  constructor(app: TestApp, vendor: TestOrganization, farmers: readonly TestOrganization[]) {
    this.#app = app;
    this.#vendor = vendor;
    this.#farmers = farmers;
  }

  get module(): TestModule {
    return { vendor: this.#vendor, moduleId: this.moduleId, key: this.#key };
  }

  /** Whether the module's back end can read. */
  get isOpen(): boolean {
    return this.#key !== '' && !this.#isInQuarantine;
  }

  /** Makes a step. */
  async make(made: Step): Promise<void> {
    const own = this.#app.as(this.#vendor);
    const path = `/modules/${this.moduleId}`;
    switch (made.kind) {
      case 'import':
        return this.#import(made);
      case 'release': {
        const { status } = await own.post(`${path}/revisions/${this.#revision(made.back)}/release`);
        this.isReleased ||= status === 200;
        return;
      }
      case 'ring': {
        const ring = { organizationIds: this.#idsOf(made.farmers), percent: made.percent ?? undefined };
        if (made.farmers.length > 0)
          await own.post(`${path}/revisions/${this.#revision(made.back)}/release`, ring);
        return;
      }
      case 'preview': {
        const organizationIds = this.#idsOf(made.farmers);
        await own.put(`${path}/revisions/${this.#revision(made.back)}/previewers`, { organizationIds });
        return;
      }
      case 'delete': {
        await own.delete(path);
        this.#key = '';
        this.isReleased = false;
        return;
      }
      case 'quarantine':
      case 'endQuarantine':
        return this.#quarantine(made.kind === 'quarantine');
      default:
        return this.#makeAsFarmer(made);
    }
  }

  async #makeAsFarmer(
    made: Exclude<
      Step,
      { kind: 'import' | 'release' | 'ring' | 'preview' | 'delete' | 'quarantine' | 'endQuarantine' }
    >,
  ): Promise<void> {
    const organization = this.#farmers[made.farmer] ?? this.#vendor;
    const own = this.#app.as(organization);
    const installation = `/installations/${this.moduleId}`;
    switch (made.kind) {
      case 'install': {
        const body = made.areas && { acceptedDataAreaIds: areaIds(this.#app, made.areas) };
        await own.put(installation, body ?? undefined);
        return;
      }
      case 'uninstall':
        await own.delete(installation);
        return;
      case 'writeFarm': {
        const farm = { id: this.#farmIds[made.farmer], name: `Farm ${made.name}` };
        await own.put('/structures', { farms: [farm] });
        return;
      }
      case 'eraseFarms':
        await own.delete('/structures');
        return;
      case 'rename': {
        const { tenantId } = organization;
        const body = organizationBody({ kind: 'farmer', tenantId });
        const named = { ...body, name: `Farmer ${made.name}`, countryCode: made.countryCode };
        await this.#app.as('operator').put(`/organizations/${organization.id}`, named);
        return;
      }
      case 'createRule':
      case 'changeRule':
      case 'deleteRule':
        return this.#changeRules(own, made);
    }
  }

  async #changeRules(
    own: Caller,
    made: Extract<Step, { kind: 'createRule' | 'changeRule' | 'deleteRule' }>,
  ): Promise<void> {
    if (made.kind === 'createRule') {
      for (const criteria of ['rain', 'wind'])
        await own.post('/alertRules', { moduleId: this.moduleId, ...ruleOf(criteria, made.value) });
      return;
    }
    const { items } = (await own.get('/alertRules?limit=1')).body as {
      items: { id: string; criteria: string }[];
    };
    for (const { id, criteria } of items)
      await (made.kind === 'deleteRule'
        ? own.delete(`/alertRules/${id}`)
        : own.put(`/alertRules/${id}`, ruleOf(criteria, made.value)));
  }

  async #import({ areas, isStaged, criterion }: Extract<Step, { kind: 'import' }>): Promise<void> {
    const { catalogue } = this.#app.api;
    const descriptor = {
      ...{ moduleId: this.moduleId, component: randomUUID() },
      dataAreaIds: areaIds(this.#app, areas),
    };
    const files = {
      'AlertRuleDefinitionFile/alert-rules.yaml': definition(60, criterion),
      'ModuleToS/terms.md': `Terms of ${criterion}`,
    };
    const zip = samplePackage(catalogue, { descriptor, files });
    const query = isStaged ? '?release=staged' : '';
    const { status, body } = await this.#app.importPackage(this.#vendor, zip, { query });
    if (status !== 200) return;
    this.#newest = Math.max(this.#newest, body.revision as number);
    this.isReleased ||= body.released === true;
    if (this.#key !== '') return;
    const registered = await this.#app.as(this.#vendor).post(`/registerApiClient/${this.moduleId}`);
    this.#key = registered.body.clientSecret as string;
  }

  async #quarantine(isIn: boolean): Promise<void> {
    const path = `/operations/modules/${this.moduleId}/quarantine`;
    const operator = this.#app.as('operator');
    const { status } = await (isIn ? operator.post(path, { reason: 'It is bad.' }) : operator.delete(path));
    if (status < 300) this.#isInQuarantine = isIn;
  }

  #revision(back: number): number {
    return Math.max(1, this.#newest - back);
  }

  #idsOf(farmers: readonly number[]): readonly string[] {
    return farmers.map((at) => this.#farmers[at]?.id ?? '');
  }
}

const ruleOf = (criteria: string, value: number) => ({ criteria, values: { operator: 'gt', value } });
