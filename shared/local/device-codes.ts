import { randomBytes, randomInt } from 'node:crypto';

/** How long a code can be approved. */
export const DEVICE_CODE_LIFETIME_SECONDS = 600;
/** Codes that wait at once: the oldest is forgotten. */
const MAX_CODES = 100;
/** Consonants that cannot be mistaken for others; they make no words (RFC 8628, 6.1). */
const USER_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

interface PendingSignIn {
  readonly userCode: string;
  readonly clientId: string;
  readonly isOffline: boolean;
  readonly expiresAtMs: number;
  /** The account that was chosen; null: nobody has chosen yet. */
  account: string | null;
  polledAtMs: number;
}

/** A sign-in that was approved. */
export interface ApprovedSignIn {
  readonly account: string;
  readonly clientId: string;
  /** Whether a refresh token was requested. */
  readonly isOffline: boolean;
}

/** Why a device gets no token (RFC 8628, 3.5). */
type PollError = 'authorization_pending' | 'slow_down' | 'expired_token' | 'invalid_grant';

/** The sign-ins that devices have started, in memory. */
export class DeviceCodes {
  readonly #pending = new Map<string, PendingSignIn>();

  /** The time that a device waits between two polls. */
  readonly pollSeconds: number;

  constructor(pollSeconds: number) {
    this.pollSeconds = pollSeconds;
  }

  /** Starts a sign-in of a client with these scopes. */
  start(clientId: string, scope: string): { readonly deviceCode: string; readonly userCode: string } {
    const deviceCode = randomBytes(32).toString('base64url');
    const letters = Array.from({ length: 8 }, () => USER_CODE_LETTERS[randomInt(USER_CODE_LETTERS.length)]);
    const userCode = `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`;
    const isOffline = scope.split(' ').includes('offline_access');
    const expiresAtMs = Date.now() + DEVICE_CODE_LIFETIME_SECONDS * 1_000;
    this.#pending.set(deviceCode, {
      userCode,
      clientId,
      isOffline,
      expiresAtMs,
      account: null,
      polledAtMs: 0,
    });
    for (const oldest of [...this.#pending.keys()].slice(0, -MAX_CODES)) this.#pending.delete(oldest);
    return { deviceCode, userCode };
  }

  /** The code as it was printed, if it waits for an approval; however it was typed. */
  waiting(typed: string): string | null {
    const letters = typed.toUpperCase().replaceAll(/[^A-Z]/g, '');
    return this.#find(`${letters.slice(0, 4)}-${letters.slice(4)}`)?.userCode ?? null;
  }

  /** Approves a sign-in with an account; false if its code is not waiting. */
  approve(userCode: string, account: string): boolean {
    const found = this.#find(userCode);
    if (found === undefined) return false;
    found.account = account;
    return true;
  }

  /** Ends an approved sign-in; otherwise says why the device has to wait or to stop. */
  poll(deviceCode: string, clientId: string): ApprovedSignIn | PollError {
    const found = this.#pending.get(deviceCode);
    if (found?.clientId !== clientId) return 'invalid_grant';
    const nowMs = Date.now();
    if (found.expiresAtMs <= nowMs) return 'expired_token';
    const isTooSoon = nowMs - found.polledAtMs < this.pollSeconds * 900;
    found.polledAtMs = nowMs;
    if (isTooSoon) return 'slow_down';
    if (found.account === null) return 'authorization_pending';
    this.#pending.delete(deviceCode);
    return { account: found.account, clientId, isOffline: found.isOffline };
  }

  #find(userCode: string): PendingSignIn | undefined {
    const nowMs = Date.now();
    return [...this.#pending.values()].find(
      (each) => each.userCode === userCode && each.account === null && each.expiresAtMs > nowMs,
    );
  }
}
