import type { TestModule } from './caller.ts';
import type { Answer, TestApp } from './test-app.ts';

/** What a module's back end reads of an organization; null: nothing. */
interface SeenOrganization {
  readonly installation: unknown;
  readonly structures: unknown;
  readonly rules: unknown;
}

/** Everything that a module's back end reads. */
export interface SeenState {
  readonly organizations: Readonly<Record<string, SeenOrganization>>;
  readonly definitions: unknown;
}

interface OfOrganization {
  readonly organizationId: string;
}

/** The items of a list; none where no revision that anybody sees declares the data area. */
function itemsOf({ status, text, body }: Answer, name: 'items' | 'organizations'): readonly OfOrganization[] {
  if (status === 403 && body.type === '/problems/auth-data-area-missing') return [];
  if (status !== 200) throw new Error(text);
  return body[name] as readonly OfOrganization[];
}

const ALL = 'limit=200';

/** The reads of a module's back end. */
class MachineReads {
  readonly #app: TestApp;
  module: TestModule;

  constructor(app: TestApp, module: TestModule) {
    this.#app = app;
    this.module = module;
  }

  async get(path: string): Promise<Answer> {
    return this.#app.as(this.module).get(path);
  }

  async installations() {
    return itemsOf(await this.get(`/InstallationsByModuleId?${ALL}`), 'items');
  }

  async structures(query = '') {
    return itemsOf(await this.get(`/StructuresByModuleId${query}`), 'organizations');
  }

  async rules(query = '') {
    return itemsOf(await this.get(`/RulesByModuleId?${ALL}${query}`), 'items');
  }

  async definitions(): Promise<unknown> {
    const { status, body } = await this.get('/RuleDefinitionsByModuleId');
    return status === 200 ? body : null;
  }
}

const NOTHING: SeenOrganization = { installation: null, structures: null, rules: null };

const of = (items: readonly OfOrganization[], id: string) =>
  items.filter(({ organizationId }) => organizationId === id);
const someOf = (items: readonly OfOrganization[]) => (items.length === 0 ? null : items);

/** Reads everything anew. */
export async function readAnew(app: TestApp, module: TestModule): Promise<SeenState> {
  const reads = new MachineReads(app, module);
  const [installations, structures, rules, definitions] = await Promise.all([
    reads.installations(),
    reads.structures(),
    reads.rules(),
    reads.definitions(),
  ]);
  const ids = [...installations, ...structures, ...rules].map(({ organizationId }) => organizationId);
  const organizations = ids.map((id) => {
    const parts = [installations, structures, rules].map((items) => someOf(of(items, id)));
    const [installation = null, farms = null, ownRules = null] = parts;
    return [id, { installation, structures: farms, rules: ownRules }] as const;
  });
  return { organizations: Object.fromEntries(organizations), definitions };
}

interface Change {
  readonly type: string;
  readonly organizationId: string | null;
}

interface ChangePage {
  readonly items: readonly Change[];
  readonly nextCursor: string;
  readonly hasMore: boolean;
}

/** A back end with a copy of its own, which reads again what the guide calls for after each change, and nothing else. */
export class FeedFollower {
  readonly #reads: MachineReads;
  readonly #types: string;
  #cursor = '';
  #definitions: unknown = null;
  readonly #organizations = new Map<string, SeenOrganization>();

  /** Types null: of every type. */
  constructor(app: TestApp, module: TestModule, types: readonly string[] | null) {
    this.#reads = new MachineReads(app, module);
    this.#types = types === null ? '' : `&types=${types.join(',')}`;
  }

  /** A module that was deleted and imported anew has another key. */
  useKeyOf(module: TestModule): void {
    this.#reads.module = module;
  }

  get state(): SeenState {
    const organizations = [...this.#organizations].filter(([, parts]) =>
      Object.values(parts).some((part) => part !== null),
    );
    return { organizations: Object.fromEntries(organizations), definitions: this.#definitions };
  }

  /** Starts before anything was installed. */
  async start(): Promise<void> {
    this.#cursor = (await this.#page('')).nextCursor;
    this.#definitions = await this.#reads.definitions();
  }

  /** Follows the next page of changes, and reads again what they concern. */
  async follow(limit: number): Promise<Pick<ChangePage, 'items' | 'hasMore'>> {
    const { items, nextCursor, hasMore } = await this.#page(
      `?cursor=${this.#cursor}&limit=${limit}${this.#types}`,
    );
    for (const { type, organizationId } of items) await this.#readAgain(type, organizationId);
    this.#cursor = nextCursor;
    return { items, hasMore };
  }

  async #page(query: string): Promise<ChangePage> {
    const { status, text, body } = await this.#reads.get(`/ChangesByModuleId${query}`);
    if (status !== 200) throw new Error(text);
    return body as ChangePage;
  }

  async #readAgain(type: string, id: string | null): Promise<void> {
    const [family] = type.split('.');
    if (family === 'revision' || family === 'installation')
      this.#definitions = await this.#reads.definitions();
    if (id === null) return;
    const before = this.#organizations.get(id) ?? NOTHING;
    const isAll = family === 'installation';
    this.#organizations.set(id, {
      installation: isAll ? someOf(of(await this.#reads.installations(), id)) : before.installation,
      structures:
        isAll || family === 'structures'
          ? someOf(await this.#reads.structures(`?organizationId=${id}`))
          : before.structures,
      rules:
        isAll || family === 'rule' ? someOf(await this.#reads.rules(`&organizationId=${id}`)) : before.rules,
    });
  }
}
