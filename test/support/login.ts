import { expect } from 'vitest';
import { runHere, type CliRun } from './run-modulectl.ts';
import type { Variables } from '../../shared/cli/settings.ts';

/** Runs `modulectl login` and approves it as an account of the development issuer, in the browser's place. */
export async function loginAs(
  account: string,
  args: readonly string[],
  options: { readonly scratch: string; readonly variables?: Variables },
): Promise<CliRun> {
  const approvals: Promise<void>[] = [];
  const onMessage = (text: string) => {
    const [address] = /http:\S+user_code=\S+/.exec(text) ?? [];
    if (address !== undefined) approvals.push(approveLogin(address, account));
  };
  const ran = await runHere(['login', ...args], { ...options, onMessage });
  await Promise.all(approvals);
  return ran;
}

/** Opens the page of a sign-in and presses an account's button. */
export async function approveLogin(address: string, account: string): Promise<void> {
  const { origin, searchParams } = new URL(address);
  const page = await (await fetch(address)).text();
  expect(page).toContain(`name="account" value="${account}"`);
  const answer = await fetch(`${origin}/device`, {
    method: 'POST',
    headers: { Origin: origin },
    body: new URLSearchParams({ user_code: searchParams.get('user_code') ?? '', account }),
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('is signed in as')]);
}
