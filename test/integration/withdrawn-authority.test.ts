import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { archivesOf } from '../../shared/db/imports/archives.ts';
import { startCiIssuer, type CiIssuer } from '../support/ci-issuer.ts';
import { holdLock } from '../support/held-lock.ts';
import { lockedCalls, lockWaits } from '../support/lock-waits.ts';
import { makeAlertSource, sampleAlert, type AlertSource } from '../support/machine-access.ts';
import { ADMIN, MEMBER } from '../support/members.ts';
import { exchange, LOOPBACK_ISSUERS, publishingModule } from '../support/publishing-module.ts';
import { samplePackage } from '../support/sample-package.ts';
import { sessionCookie } from '../support/session-cookie.ts';
import { slowUpload } from '../support/slow-upload.ts';
import { startTestApp, type Answer, type TestApp, type TestOrganization } from '../support/test-app.ts';

type HeaderFields = Readonly<Record<string, string>>;

/** A credential that may import a module, and what takes away what it may do. */
interface Credential {
  readonly headers: HeaderFields;
  withdraw(): Promise<void>;
  /** Gives it back. */
  restore?(): Promise<void>;
}

interface Target {
  readonly vendor: TestOrganization;
  readonly moduleId: string;
}

let app: TestApp;
let issuer: CiIssuer;
/** One for each test that needs one: a worker's start costs more than these tests. */
const targets: Target[] = [];
const sources: AlertSource[] = [];

beforeAll(async () => {
  app = await startTestApp({
    settings: { ...LOOPBACK_ISSUERS, PORTAL_CLIENT_ID: 'portal' },
    worker: false,
  });
  issuer = await startCiIssuer();
  const worker = await app.startWorker();
  const imports = Object.values(CREDENTIALS).flatMap(({ ends }) => Object.values(ends));
  for (let made = 0; made <= imports.length; made++) targets.push(await makeTarget());
  sources.push(await makeAlertSource(app), await makeAlertSource(app));
  await worker.stop();
});

afterAll(async () => {
  await app.stop();
  await issuer.stop();
});

/** A vendor with a module that trusts the CI's issuer. */
async function makeTarget(): Promise<Target> {
  const vendor = await app.organization();
  return { vendor, moduleId: await publishingModule(app, vendor, issuer.url) };
}

function take<Made>(made: Made[]): Made {
  const next = made.pop();
  if (next === undefined) throw new Error('beforeAll makes too few');
  return next;
}

/** A person whose membership is kept here, and the call that changes it. */
async function makeMember(vendor: TestOrganization, expiresIn = 3_600) {
  const subject = `person-${randomUUID()}`;
  const path = `/members/${subject}`;
  await app.as(vendor).put(path, ADMIN);
  return { path, authorization: await app.bearer({ subject, expiresIn }) };
}

const done = (answer: Answer) => expect(answer.status, answer.text).toBeLessThan(300);

type Moment = 'before' | 'while receiving' | 'queued' | 'while running';
type Ending = 'refused' | 'rejected' | 'written' | 'written later';

/** How an upload ends when its authority is withdrawn at each moment. */
const WITHDRAWN: Readonly<Record<Moment, Ending>> = {
  before: 'refused',
  'while receiving': 'refused',
  queued: 'rejected',
  'while running': 'rejected',
};
/** A credential that expires is refused afterwards, and what it began goes on. */
const EXPIRED: Readonly<Record<Moment, Ending>> = {
  before: 'refused',
  'while receiving': 'written',
  queued: 'written',
  'while running': 'written',
};
/** A suspension lasts for a while: nothing is accepted meanwhile, and what was accepted waits. */
const SUSPENDED: Readonly<Record<Moment, Ending>> = {
  before: 'refused',
  'while receiving': 'refused',
  queued: 'written later',
  'while running': 'written later',
};

/** An operator suspends the vendor, and lifts it. */
function suspension(vendor: TestOrganization): Pick<Required<Credential>, 'withdraw' | 'restore'> {
  const path = `/operations/organizations/${vendor.id}/suspension`;
  const body = { reason: 'Invoices of March are not paid.', farmersKeepAccess: true };
  return {
    withdraw: async () => done(await app.as('operator').put(path, body)),
    restore: async () => done(await app.as('operator').delete(path)),
  };
}

// No operators: they import nothing, and the role is in their token. One without it is another token; nothing that is kept
// here takes it away. An import that an operator retries has the authority of its uploader.
const CREDENTIALS: Readonly<
  Record<string, { readonly make: (target: Target) => Promise<Credential>; readonly ends: typeof WITHDRAWN }>
> = {
  'the token of a member who is removed': {
    ends: WITHDRAWN,
    async make({ vendor }) {
      const { path, authorization } = await makeMember(vendor);
      return {
        headers: { Authorization: authorization },
        withdraw: async () => done(await app.as(vendor).delete(path)),
      };
    },
  },
  'the token of a member whose role is lowered': {
    ends: WITHDRAWN,
    async make({ vendor }) {
      const { path, authorization } = await makeMember(vendor);
      return {
        headers: { Authorization: authorization },
        withdraw: async () => done(await app.as(vendor).put(path, MEMBER)),
      };
    },
  },
  'the token of a person whose group loses its role': {
    ends: WITHDRAWN,
    async make({ vendor }) {
      const group = `group-${randomUUID()}`;
      const put = async (items: readonly object[]) =>
        done(await app.as('operator').put(`/organizations/${vendor.id}/groups`, { items }));
      await put([{ group, role: 'OrganizationAdmin' }]);
      const claims = { groups: [group] };
      return {
        headers: { Authorization: await app.bearer({ subject: randomUUID(), claims }) },
        withdraw: () => put([]),
      };
    },
  },
  'the session of a member who is removed': {
    ends: WITHDRAWN,
    async make({ vendor }) {
      const { path, authorization } = await makeMember(vendor);
      return {
        headers: { Cookie: await sessionCookie(app, authorization), Origin: app.url },
        withdraw: async () => done(await app.as(vendor).delete(path)),
      };
    },
  },
  'the token of an administrator of a vendor that is suspended': {
    ends: SUSPENDED,
    make: ({ vendor }) =>
      Promise.resolve({ headers: { Authorization: vendor.admin }, ...suspension(vendor) }),
  },
  'the token of a member kept here of a vendor that is suspended': {
    ends: SUSPENDED,
    async make({ vendor }) {
      const { authorization } = await makeMember(vendor);
      return { headers: { Authorization: authorization }, ...suspension(vendor) };
    },
  },
  'the session of a member of a vendor that is suspended': {
    ends: SUSPENDED,
    async make({ vendor }) {
      const { authorization } = await makeMember(vendor);
      const cookie = await sessionCookie(app, authorization);
      return { headers: { Cookie: cookie, Origin: app.url }, ...suspension(vendor) };
    },
  },
  'the token of a trusted publisher of a vendor that is suspended': {
    ends: SUSPENDED,
    async make({ vendor, moduleId }) {
      const { body } = await exchange(app, moduleId, await issuer.token());
      return {
        headers: { Authorization: `Bearer ${String(body.accessToken)}` },
        ...suspension(vendor),
      };
    },
  },
  'the token of a trusted publisher that is removed': {
    ends: WITHDRAWN,
    async make({ vendor, moduleId }) {
      const { body } = await exchange(app, moduleId, await issuer.token());
      return {
        headers: { Authorization: `Bearer ${String(body.accessToken)}` },
        withdraw: async () => done(await app.as(vendor).put(`/trustedPublishers/${moduleId}`, { items: [] })),
      };
    },
  },
  'the token of a trusted publisher that expires': {
    ends: EXPIRED,
    async make({ moduleId }) {
      const { body } = await exchange(app, moduleId, await issuer.token());
      return {
        headers: { Authorization: `Bearer ${String(body.accessToken)}` },
        async withdraw() {
          await app.api
            .database('publisher_tokens')
            .where({ moduleId })
            .update({ expiresAt: new Date(0) });
        },
      };
    },
  },
};

const nextPackage = (moduleId: string) =>
  samplePackage(app.api.catalogue, { descriptor: { moduleId, component: randomUUID() } });

/** Takes the authority away at a moment of an upload; returns the first answer. */
async function uploadWithdrawnAt(moment: Moment, target: Target, credential: Credential): Promise<Answer> {
  const { vendor, moduleId } = target;
  if (moment === 'before') await credential.withdraw();
  const upload = slowUpload(app, vendor, nextPackage(moduleId), credential.headers);
  if (moment === 'while receiving') {
    await expect.poll(() => app.api.imports.uploadSlots.takenBy(vendor.id)).toBe(1);
    await credential.withdraw();
  }
  upload.finish();
  const answer = await upload.answer;
  if (answer.status !== 202) return answer;
  if (moment === 'queued') {
    await credential.withdraw();
    const started = await app.startWorker();
    onTestFinished(() => started.stop());
    return answer;
  }
  const lock = "select pg_advisory_xact_lock(hashtextextended('module ' || $1, 0))";
  const held = await holdLock(app, lock, [moduleId]);
  const worker = await app.startWorker();
  onTestFinished(() => worker.stop());
  await expect.poll(() => lockWaits(app)).toBe(1);
  if (moment === 'while running') await credential.withdraw();
  await held.release();
  return answer;
}

/** The number of stored packages. */
async function archives(): Promise<number> {
  const keys: string[] = [];
  for await (const { key } of app.api.storage.list(archivesOf(app.api.deploymentId))) keys.push(key);
  return keys.length;
}

describe.each(Object.entries(CREDENTIALS))('an import by %s', (_name, { make, ends }) => {
  test.each(Object.entries(ends) as [Moment, Ending][])('%s is %s', async (moment, ending) => {
    const target = take(targets);
    const { vendor, moduleId } = target;
    const credential = await make(target);
    const before = await archives();
    const answer = await uploadWithdrawnAt(moment, target, credential);
    const read = async () =>
      (await app.as(vendor).get(`/imports?moduleId=${moduleId}`)).body.items[0] as { errors: unknown };
    if (ending === 'written later') {
      const waiting = app.api.database('imports').where({ id: answer.body.importId as string });
      await expect
        .poll(() => waiting.clone().first('status', 'runId'))
        .toEqual({ status: 'queued', runId: null });
      // It has waited for longer than a job takes to be queued, and than an import may take.
      await waiting.update({ updatedAt: new Date(0) });
    }
    await credential.restore?.();
    // What was remembered of the organization.
    if (credential.restore !== undefined)
      await expect.poll(async () => (await app.as(vendor).get('/imports')).status).toBe(200);
    if (ending === 'refused') {
      expect([401, 403], answer.text).toContain(answer.status);
      expect(await read()).toMatchObject({ revision: 1 });
    } else {
      const status = ending === 'rejected' ? 'rejected' : 'succeeded';
      await expect.poll(read, { timeout: 15_000 }).toMatchObject({ status, importId: answer.body.importId });
    }
    const log = (await app.as(vendor).get('/auditLog?limit=5')).body.items as {
      action: string;
      targetId: string;
    }[];
    const refused = log.filter(({ action }) => action === 'import.refused');
    expect(refused.map(({ targetId }) => targetId)).toEqual(
      ending === 'rejected' ? [answer.body.importId] : [],
    );
    if (ending === 'rejected') expect((await read()).errors).toMatchObject([{ code: 'auth-withdrawn' }]);
    await expect.poll(archives).toBe(before + (ending.startsWith('written') ? 1 : 0));
  });
});

test('a new module is not made by an import whose uploader was removed while it waited', async () => {
  const vendor = await app.organization();
  const { path, authorization } = await makeMember(vendor);
  const accepted = await app.importPackage(
    { ...vendor, admin: authorization },
    samplePackage(app.api.catalogue),
    {
      headers: { Prefer: 'respond-async' },
    },
  );
  done(await app.as(vendor).delete(path));
  const worker = await app.startWorker();
  onTestFinished(() => worker.stop());
  const read = async () =>
    (await app.as(vendor).get(`/imports/${String(accepted.body.importId)}`)).body as unknown;
  await expect.poll(read).toMatchObject({ status: 'rejected', errors: [{ code: 'auth-withdrawn' }] });
  expect((await app.as(vendor).get('/modules')).body.items).toEqual([]);
});

test('a key that is revoked while a batch of alerts arrives raises none', async () => {
  const source = take(sources);
  const { module, farmer } = source;
  const { body } = await app.as(module.vendor).get(`/apiClients/${module.moduleId}`);
  const { clientId } = body.items[0] as { clientId: string };
  const held = await holdLock(app, 'select from alert_rules where id = $1 for update', [source.ruleId]);
  const raised = app.as(module).post('/AlertsByModuleId', { alerts: [sampleAlert(source)] });
  await expect.poll(() => lockedCalls(app)).toBe(1);
  done(await app.as(module.vendor).delete(`/apiClients/${module.moduleId}/${clientId}`));
  await held.release();
  const answer = await raised;
  expect([answer.status, answer.body.type]).toEqual([401, '/problems/auth-api-key-invalid']);
  expect((await app.as(farmer).get('/alerts')).body.items).toEqual([]);
});

test('a key of a vendor that is suspended while a batch of alerts arrives raises none', async () => {
  const source = take(sources);
  const { module, farmer } = source;
  const held = await holdLock(app, 'select from alert_rules where id = $1 for update', [source.ruleId]);
  const raised = app.as(module).post('/AlertsByModuleId', { alerts: [sampleAlert(source)] });
  await expect.poll(() => lockedCalls(app)).toBe(1);
  await suspension(module.vendor).withdraw();
  await held.release();
  const answer = await raised;
  expect([answer.status, answer.body.type]).toEqual([403, '/problems/organization-suspended']);
  expect((await app.as(farmer).get('/alerts')).body.items).toEqual([]);
});

test('a member who is removed while a change waits changes nothing', async () => {
  const { vendor, moduleId } = take(targets);
  const { path, authorization } = await makeMember(vendor);
  const lock = "select pg_advisory_xact_lock(hashtextextended('module ' || $1, 0))";
  const held = await holdLock(app, lock, [moduleId]);
  const deleted = app.as(vendor, authorization).delete(`/modules/${moduleId}`);
  await expect.poll(() => lockedCalls(app)).toBe(1);
  done(await app.as(vendor).delete(path));
  await held.release();
  const answer = await deleted;
  expect([answer.status, answer.body.type]).toEqual([403, '/problems/auth-forbidden']);
  expect((await app.as(vendor).get(`/modules/${moduleId}`)).status).toBe(200);
});

test('an administrator who removes themselves, or gives up the role, succeeds', async () => {
  const vendor = await app.organization();
  await makeMember(vendor);
  for (const leave of ['delete', 'put'] as const) {
    const { path, authorization } = await makeMember(vendor);
    const own = app.as(vendor, authorization);
    done(leave === 'delete' ? await own.delete(path) : await own.put(path, MEMBER));
    const members = await app.as(vendor).pages<{ subject: string; roles: string[] }>('/members');
    const found = members.find(({ subject }) => path.endsWith(subject));
    expect(found?.roles ?? []).not.toContain('OrganizationAdmin');
  }
});

test('an import by an administrator of the token is written, also where a kept membership was removed meanwhile', async () => {
  const vendor = await app.organization();
  const subject = `person-${randomUUID()}`;
  const path = `/members/${subject}`;
  done(await app.as(vendor).put(path, ADMIN));
  const admin = await app.bearer({
    subject,
    organizations: [{ id: vendor.id, roles: ['OrganizationAdmin'] }],
  });
  const accepted = await app.importPackage({ ...vendor, admin }, samplePackage(app.api.catalogue), {
    headers: { Prefer: 'respond-async' },
  });
  done(await app.as(vendor).delete(path));
  const worker = await app.startWorker();
  onTestFinished(() => worker.stop());
  const read = async () =>
    (await app.as(vendor).get(`/imports/${String(accepted.body.importId)}`)).body as unknown;
  await expect.poll(read).toMatchObject({ status: 'succeeded' });
});
