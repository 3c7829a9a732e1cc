import type { AuthConfig } from '../../shared/config/identity-config.ts';
import { isRole, type Role } from '../../shared/db/access/role.ts';
import { isGuid } from '../../shared/package/schema/schema-parts.ts';
import { isObject, isStorable } from '../http/schema.ts';

/** The claims of a token. */
export type Claims = Readonly<Record<string, unknown>>;

/** The roles of a person, by the organization's ID in lower case. */
export type Roles = ReadonlyMap<string, ReadonlySet<Role>>;

/** The claims of a token about its subject. */
export interface Identity {
  /** For people; null: the token has none. */
  readonly name: string | null;
  /** The mail address, which the issuer has verified; null: the token has none. */
  readonly address: string | null;
  readonly isOperator: boolean;
  readonly roles: Roles;
  /** Names of groups, without the slash that Keycloak starts them with. */
  readonly groups: readonly string[];
}

/** The claims that list scopes in one text: of RFC 9068, section 2.2.3, and of Entra and Okta. */
const SCOPES: ReadonlySet<string> = new Set(['scope', 'scp']);

/** Each entry of the audit log has one: longer texts are no names. */
const MAX_NAME_LENGTH = 200;

/** The name of a person in an access token or an ID token (OpenID Connect Core, 5.1); null: it has none. */
export function personName(claims: Claims): string | null {
  const names = [claims['name'], claims['preferred_username'], claims['email']];
  return (
    names
      .filter((each) => typeof each === 'string')
      .find(isName)
      ?.trim() ?? null
  );
}

/** A list of addresses, or one with more headers in it, is none. */
const ADDRESS = /^[^\s@<>()[\]\\,;:"]{1,64}@[^\s@<>()[\]\\,;:"]{1,189}$/;

/**
 * The mail address in an access token or an ID token (OpenID Connect Core, 5.1); null: it has none that the issuer has
 * verified. Anybody may have named another address at the issuer, and would have this service mail a stranger.
 */
export function verifiedAddress({ email, email_verified: isVerified }: Claims): string | null {
  return isVerified === true && typeof email === 'string' && ADDRESS.test(email) && isStorable(email)
    ? email
    : null;
}

function isName(text: string): boolean {
  return text.trim() !== '' && text.length <= MAX_NAME_LENGTH && isStorable(text);
}

/** Reads what a token says about its subject; what it does not understand is left out. */
export function readIdentity(claims: Claims, names: AuthConfig): Identity {
  return {
    name: personName(claims),
    address: verifiedAddress(claims),
    isOperator: isOperator(claims, names),
    roles: readRoles(claimAt(claims, names.organizationsClaim)),
    groups: readGroups(claimAt(claims, names.groupsClaim)),
  };
}

/**
 * The claim with this name, or at this path: `realm_access.roles` is the member `roles` of the claim `realm_access`. A
 * name that itself has the dots wins, such as `https://example.com/roles`. Undefined: there is none.
 */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const outer = path.slice(0, dot);
    const value = Object.hasOwn(claims, outer) ? claims[outer] : undefined;
    const inner = isObject(value) ? claimAt(value, path.slice(dot + 1)) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** A group's name as it is compared: Keycloak sends the path of a group, which starts with a slash. */
export function groupName(text: string): string {
  return text.replace(/^\//, '');
}

function isOperator(claims: Claims, { operatorClaim, operatorValue, operators }: AuthConfig): boolean {
  const { sub } = claims;
  if (typeof sub === 'string' && operators.includes(sub)) return true;
  const claim = claimAt(claims, operatorClaim);
  if (textsOf(claim).includes(operatorValue)) return true;
  // As scopes are listed: RFC 6749, section 3.3. In another claim a text with spaces is one role.
  return SCOPES.has(operatorClaim) && typeof claim === 'string' && claim.split(' ').includes(operatorValue);
}

function readGroups(claim: unknown): readonly string[] {
  const names = textsOf(claim).map(groupName);
  return [...new Set(names.filter((name) => name !== '' && isStorable(name)))];
}

/** Two entries for one organization add up. */
function readRoles(claim: unknown): Roles {
  const roles = new Map<string, Set<Role>>();
  for (const entry of entriesOf(claim)) {
    const { id } = entry;
    if (!isGuid(id)) continue;
    const granted = textsOf(entry['roles']).filter(isRole);
    if (granted.length === 0) continue;
    const key = id.toLowerCase();
    roles.set(key, new Set([...(roles.get(key) ?? []), ...granted]));
  }
  return roles;
}

/** A list of objects, as JSON or as JSON text; one object counts as a list of it. */
function entriesOf(claim: unknown): readonly Claims[] {
  const value = parsed(claim);
  if (Array.isArray(value)) return value.map(parsed).filter(isObject);
  return isObject(value) ? [value] : [];
}

/**
 * The texts of a claim: a list, as JSON or as JSON text, or one text. ZITADEL sends roles as an object, whose members are
 * the roles and say in which of its organizations the person has them.
 */
function textsOf(claim: unknown): readonly string[] {
  const value = parsed(claim);
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.filter((each) => typeof each === 'string');
  if (!isObject(value)) return [];
  return Object.keys(value).filter((name) => isObject(value[name]));
}

/** The value of a text with a JSON list or object; any other value as it is. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
