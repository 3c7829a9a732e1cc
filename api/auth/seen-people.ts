import { LRUCache } from 'lru-cache';
import { notePeople, SEEN_AGAIN_MS, type SeenPerson } from '../../shared/db/access/people.ts';
import { atMost } from '../../shared/limits/at-most.ts';
import type { Principal } from './access-token.ts';
import { BatchedNotes } from './batched-notes.ts';

/**
 * Records the people who call for an organization: administrators have no other way to see those that are members by
 * the issuer. Many requests of a person are one row in an hour.
 */
export class SeenPeople extends BatchedNotes {
  /** By organization and person: what was noted of them within the hour. */
  readonly #noted = new LRUCache<string, string>({ ...atMost(10_000), ttl: SEEN_AGAIN_MS });
  #waiting = new Map<string, SeenPerson>();

  /** Notes that a person has called for an organization. */
  note({ issuer, subject, name, groups, roles }: Principal, organizationId: string): void {
    const claimed = [...(roles.get(organizationId) ?? [])];
    const person = { organizationId, issuer, subject, name, groups, roles: claimed };
    const key = JSON.stringify([organizationId, issuer, subject]);
    const text = JSON.stringify(person);
    if (this.#noted.get(key) === text) return;
    this.#noted.set(key, text);
    this.#waiting.set(key, person);
  }

  protected async write(): Promise<void> {
    const waiting = this.#waiting;
    if (waiting.size === 0) return;
    this.#waiting = new Map();
    try {
      await notePeople(this.database, [...waiting.values()]);
    } catch (error) {
      for (const key of waiting.keys()) this.#noted.delete(key);
      this.log.warn({ err: error, people: waiting.size }, 'people seen not recorded');
    }
  }
}
