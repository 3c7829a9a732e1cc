import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CI_CLAIMS, startCiIssuer } from '../support/ci-issuer.ts';
import { LOOPBACK_ISSUERS } from '../support/publishing-module.ts';
import { launchChromium, openVendorPage, tabTo } from './support/chromium.ts';
import { startPortalStack, VENDOR_ID, type PortalStack } from './support/portal-stack.ts';
import { callAs, importAsVendor, namedPackage } from './support/seeded-pages.ts';

let stack: PortalStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startPortalStack({ settings: LOOPBACK_ISSUERS }), launchChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

const GITHUB = 'https://token.actions.githubusercontent.com';

interface OpenModule {
  readonly page: Page;
  readonly stored: () => Promise<unknown>;
  /** Replaces the list as another administrator would. */
  readonly write: (items: readonly object[]) => Promise<unknown>;
}

async function openModule(scope: string): Promise<OpenModule> {
  const page = await openVendorPage(browser, stack.app.url);
  const moduleId = await importAsVendor(stack, namedPackage(stack, { scope }));
  await page.goto(`${stack.app.url}/portal/${VENDOR_ID}/modules/${moduleId}/dev`);
  await page.getByText('There are no trusted publishers yet.').waitFor();
  const path = `/${VENDOR_ID}/trustedPublishers/${moduleId}`;
  return {
    page,
    stored: async () => (await callAs(stack, 'vendor-admin', `GET ${path}`))['items'],
    write: (items) => callAs(stack, 'vendor-admin', `PUT ${path}`, { items }),
  };
}

const claimsOf = (claims: object, issuer = GITHUB) => [{ issuer, audience: stack.app.url, claims }];

/** Opens the dialog, and fills in its fields by the starts of their labels, which contain their hints. */
async function fill(page: Page, fields: Readonly<Record<string, string>>, service = 'GitHub Actions') {
  await page.getByRole('button', { name: 'Add Publisher' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('CI service').selectOption(service);
  for (const [label, text] of Object.entries(fields))
    await dialog.getByLabel(new RegExp(`^${label}`)).fill(text);
  return dialog;
}

test('a publisher is added from a preset, and removed', async () => {
  const { page, stored } = await openModule('publishers');
  const dialog = await fill(page, CI_CLAIMS);
  await dialog.getByRole('button', { name: 'Add Publisher' }).click();
  await page.getByRole('cell', { name: 'repository_id = 74' }).waitFor();
  expect(await stored()).toEqual(claimsOf(CI_CLAIMS));
  await page.getByRole('button', { name: `Remove: ${GITHUB}` }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('There are no trusted publishers yet.').waitFor();
  expect(await stored()).toEqual([]);
});

test('an addition and a removal keep what another administrator changed since the page was opened', async () => {
  const { page, stored, write } = await openModule('publishersOfTwo');
  const theirs = claimsOf({ ...CI_CLAIMS, repository_id: '75' });
  const other = claimsOf({ ...CI_CLAIMS, repository_id: '76' });
  await write([...theirs, ...other]);
  await page.reload();
  await page.getByRole('cell', { name: 'repository_id = 76' }).waitFor();
  await write(other);
  const dialog = await fill(page, CI_CLAIMS);
  await dialog.getByRole('button', { name: 'Add Publisher' }).click();
  await page.getByRole('cell', { name: 'repository_id = 74' }).waitFor();
  expect(await stored()).toEqual([...other, ...claimsOf(CI_CLAIMS)]);

  await write([...theirs, ...other, ...claimsOf(CI_CLAIMS)]);
  await page.getByRole('row', { name: 'repository_id = 76' }).getByRole('button', { name: 'Remove' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('cell', { name: 'repository_id = 75' }).waitFor();
  expect(await stored()).toEqual([...theirs, ...claimsOf(CI_CLAIMS)]);
});

test('the claims of a repository are filled in with the IDs that its service gives', async () => {
  const { page, stored } = await openModule('publishersFound');
  const gitlab = await startCiIssuer();
  gitlab.answer = (request, response) => {
    const isKnown = request.url === '/api/v4/projects/acme%2Fsoil';
    const names = { path_with_namespace: 'acme/soil', default_branch: 'main' };
    response.writeHead(isKnown ? 200 : 404).end(JSON.stringify({ ...names, id: 20, namespace: { id: 72 } }));
  };
  const dialog = await fill(page, { Issuer: gitlab.url, Repository: 'acme/other' }, 'GitLab CI/CD');
  await dialog.getByRole('button', { name: 'Fill In Claims' }).click();
  await dialog.getByText(`glab api --hostname ${new URL(gitlab.url).host} projects/acme%2Fother`).waitFor();
  await dialog.getByLabel(/^\s*Repository/).fill(' acme/soil ');
  await dialog.getByRole('button', { name: 'Fill In Claims' }).click();
  await expect.poll(() => dialog.getByLabel('project_id').inputValue()).toBe('20');
  await dialog.getByRole('button', { name: 'Add Publisher' }).click();
  await page.getByRole('cell', { name: 'project_id = 20' }).waitFor();
  const ref_path = 'refs/heads/main';
  const ci_config_ref_uri = `${new URL(gitlab.url).host}/acme/soil//.gitlab-ci.yml@${ref_path}`;
  const claims = { project_id: '20', namespace_id: '72', ci_config_ref_uri, ref_path };
  expect(await stored()).toEqual(claimsOf(claims, gitlab.url));
  await gitlab.stop();
});

test('claims that are filled in keep what was typed meanwhile, and are left out if another repository or service was entered', async () => {
  const { page } = await openModule('publishersTyped');
  const gitlab = await startCiIssuer();
  gitlab.answer = (_request, response) => {
    const project = {
      path_with_namespace: 'acme/soil',
      default_branch: 'main',
      id: 20,
      namespace: { id: 72 },
    };
    response.writeHead(200).end(JSON.stringify(project));
  };
  const dialog = await fill(page, { Issuer: gitlab.url, Repository: 'acme/soil' }, 'GitLab CI/CD');
  const button = dialog.getByRole('button', { name: 'Fill In Claims' });
  const findDuring = async (act: () => Promise<unknown>) => {
    await page.route(
      /publisherClaims/,
      async (route) => {
        await act();
        await route.continue();
      },
      { times: 1 },
    );
    await Promise.all([page.waitForResponse(/publisherClaims/), button.click()]);
    await expect.poll(() => button.getAttribute('aria-busy')).toBe('false');
  };
  const projectId = dialog.getByLabel('project_id');
  for (const [label, name] of [
    [/^\s*Repository/, 'acme/soil-moisture'],
    [/^Workflow/, 'release.yml'],
    [/^Issuer/, 'https://gitlab.example'],
  ] as const) {
    const field = dialog.getByLabel(label);
    const before = await field.inputValue();
    await findDuring(() => field.fill(name));
    expect(await projectId.inputValue()).toBe('');
    await field.fill(before);
  }
  const audience = dialog.getByLabel(/^Audience/);
  const environment = dialog.getByLabel(/^environment/);
  await findDuring(async () => {
    await audience.fill('marketplace');
    await environment.fill('production');
  });
  expect(await projectId.inputValue()).toBe('20');
  expect(await audience.inputValue()).toBe('marketplace');
  expect(await environment.inputValue()).toBe('production');
  await findDuring(() => dialog.getByLabel('CI service').selectOption('GitHub Actions'));
  expect(await projectId.count()).toBe(0);
  expect(await dialog.getByLabel('repository_id').inputValue()).toBe('');
  await gitlab.stop();
});

test('GitLab has its own claims, and a branch may be left out', async () => {
  const { page, stored } = await openModule('publishersOfGitLab');
  const claims = {
    project_id: '7',
    namespace_id: '8',
    ci_config_ref_uri: 'gitlab.com/acme/soil//.gitlab-ci.yml@refs/heads/main',
  };
  const dialog = await fill(page, { ...claims, project_id: ' 7 ' }, 'GitLab CI/CD');
  await dialog.getByRole('button', { name: 'Add Publisher' }).click();
  await page.getByRole('cell', { name: 'project_id = 7' }).waitFor();
  expect(await stored()).toEqual(claimsOf(claims, 'https://gitlab.com'));
});

test('an issuer that cannot be used is reported in the dialog, which stays open', async () => {
  const { page, stored } = await openModule('publishersElsewhere');
  await page.getByRole('button', { name: 'Add Publisher' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('CI service').selectOption('Another one with OpenID Connect');
  await dialog.getByLabel('Issuer').fill('https://10.0.0.1');
  await dialog.getByLabel('sub').fill('repository 7');
  await dialog.getByRole('button', { name: 'Add Publisher' }).click();
  await dialog.getByText('the address is not on the public internet').waitFor();
  expect(await stored()).toEqual([]);
});

test('a publisher can be added with only the keyboard', async () => {
  const { page, stored } = await openModule('publisherByKeyboard');
  await tabTo(page, 'Add Publisher');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.getByLabel('repository_id').press('Control+a');
  await page.keyboard.type('75');
  for (const text of ['9', CI_CLAIMS.workflow_ref, CI_CLAIMS.ref]) {
    await page.keyboard.press('Tab');
    await page.keyboard.type(text);
  }
  await page.keyboard.press('Enter');
  await page.getByRole('cell', { name: 'repository_id = 75' }).waitFor();
  expect(await stored()).toEqual(claimsOf({ ...CI_CLAIMS, repository_id: '75' }));
});
