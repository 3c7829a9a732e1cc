import { randomUUID } from 'node:crypto';
import type { Random } from '../../support/random.ts';
import type { LaneCall } from './lane-calls.ts';

const FARMS = 20;
const MOST_FARMS_AT_ONCE = 3;
const MOST_RULES = 10;

/** The alert rules that the module of a lane defines. */
export const ALERT_RULES = {
  schema: 1.1,
  criterias: {
    temperature: {
      displayName: { en: 'Temperature' },
      parts: { value: { field: 'number', title: { en: 'Value' }, min: -50, max: 60 } },
    },
  },
};

/** A farmer, and what the farmer's changes concern. */
export interface RandomChangeSettings {
  readonly organizationId: string;
  readonly moduleId: string;
  /** The data areas that the module declares. */
  readonly dataAreaIds: readonly string[];
  readonly random: Random;
  /** Sends a call of the farmer until it is answered; returns the body of the answer. */
  send(call: LaneCall): Promise<string>;
  /** Sends a call of the module's back end likewise. */
  sendAsModule(call: LaneCall): Promise<string>;
}

/** The type of a change and what it names, as a text that can be compared. */
export const changeText = (type: string, ...ids: readonly string[]) => [type, ...ids.toSorted()].join(' ');

/** Makes random changes of one farmer; each returns the text of what the feed must have for it. */
export abstract class RandomChanges {
  protected readonly settings: RandomChangeSettings;
  protected readonly random: Random;

  constructor(settings: RandomChangeSettings) {
    this.settings = settings;
    this.random = settings.random;
  }

  protected async send(method: 'PUT' | 'POST' | 'DELETE', path: string, body?: object): Promise<string> {
    const { organizationId, send } = this.settings;
    return send({ method, path: `/${organizationId}${path}`, ...(body !== undefined && { body }) });
  }

  protected async install(acceptedDataAreaIds: readonly string[]): Promise<void> {
    await this.send('PUT', `/installations/${this.settings.moduleId}`, { acceptedDataAreaIds });
  }

  /** Makes the first change, or the next one. */
  abstract make(): Promise<string>;
}

/** Changes of farms and rules, and acknowledged alerts. */
export class FarmChanges extends RandomChanges {
  readonly #farmIds = Array.from({ length: FARMS }, () => randomUUID());
  readonly #stored = new Set<string>();
  readonly #ruleIds: string[] = [];
  #isInstalled = false;

  async make(): Promise<string> {
    if (!this.#isInstalled) {
      this.#isInstalled = true;
      const { dataAreaIds } = this.settings;
      await this.install(dataAreaIds);
      return changeText('installation.created', ...dataAreaIds);
    }
    const kind = this.random.next();
    if (kind < 0.5 || this.#stored.size === 0) return this.#writeFarms();
    if (kind < 0.52) return this.#eraseFarms();
    if (kind < 0.65 || this.#ruleIds.length === 0) return this.#createRule();
    if (kind < 0.78) return this.#changeRule();
    if (kind < 0.9) return this.#acknowledgeAlert();
    return this.#deleteRule();
  }

  async #writeFarms(): Promise<string> {
    const first = this.random.between(0, FARMS - 1);
    const ids = Array.from(
      { length: this.random.between(1, MOST_FARMS_AT_ONCE) },
      (_, at) => this.#farmIds[(first + at) % FARMS] ?? '',
    );
    await this.send('PUT', '/structures', { farms: ids.map((id) => ({ id, name: randomUUID() })) });
    for (const id of ids) this.#stored.add(id);
    return changeText('structures.changed', ...ids);
  }

  async #eraseFarms(): Promise<string> {
    await this.send('DELETE', '/structures');
    this.#stored.clear();
    return changeText('structures.erased');
  }

  async #createRule(): Promise<string> {
    if (this.#ruleIds.length >= MOST_RULES) return this.#deleteRule();
    const rule = { moduleId: this.settings.moduleId, ...this.#anyRule() };
    const { id } = JSON.parse(await this.send('POST', '/alertRules', rule)) as { id: string };
    this.#ruleIds.push(id);
    return changeText('rule.created', id);
  }

  async #changeRule(): Promise<string> {
    const id = this.random.pick(this.#ruleIds);
    await this.send('PUT', `/alertRules/${id}`, this.#anyRule());
    return changeText('rule.changed', id);
  }

  async #deleteRule(): Promise<string> {
    const id = this.random.pick(this.#ruleIds);
    await this.send('DELETE', `/alertRules/${id}`);
    this.#ruleIds.splice(this.#ruleIds.indexOf(id), 1);
    return changeText('rule.deleted', id);
  }

  async #acknowledgeAlert(): Promise<string> {
    const ruleId = this.random.pick(this.#ruleIds);
    const alert = {
      ...{ ruleId, target: { type: 'farm', id: this.random.pick([...this.#stored]) } },
      ...{ status: 'firing', severity: 'info', startsAt: new Date().toISOString() },
      ...{ title: 'Cold', message: 'It is cold.', labels: { measurement: randomUUID() } },
    };
    const path = `/Alerts/AlertsByModuleId/${this.settings.moduleId}`;
    const raised = await this.settings.sendAsModule({ method: 'POST', path, body: { alerts: [alert] } });
    const [result] = (JSON.parse(raised) as { results: readonly { id: string }[] }).results;
    const alertId = result?.id ?? '';
    await this.send('POST', `/alerts/${alertId}/acknowledge`);
    return changeText('alert.acknowledged', ruleId, alertId);
  }

  #anyRule() {
    return { criteria: 'temperature', values: { value: this.random.between(-50, 60) }, name: randomUUID() };
  }
}

/** Changes of an installation. */
export class InstallationChanges extends RandomChanges {
  #accepted: readonly string[] | null = null;

  async make(): Promise<string> {
    const { dataAreaIds, moduleId } = this.settings;
    const before = this.#accepted;
    if (before !== null && this.random.chance(0.5)) {
      await this.send('DELETE', `/installations/${moduleId}`);
      this.#accepted = null;
      return changeText('installation.removed');
    }
    const accepted = this.random.chance(0.5) ? dataAreaIds : [this.random.pick(dataAreaIds)];
    await this.install(accepted);
    this.#accepted = accepted;
    return changeText(before === null ? 'installation.created' : 'installation.changed', ...accepted);
  }
}
