import type { ClaimValue, TrustedPublisher } from '../../shared/db/access/trusted-publishers.ts';
import type { OutboundConfig } from '../../shared/config/identity-config.ts';
import { AddressRefusedError, requireCallable } from '../../shared/outbound/outbound-url.ts';
import type { BodyIssue } from '../http/request/validate-body.ts';
import { CI_SERVICES, EVENT_CLAIMS, IMMUTABLE_SUBJECT, serviceOf, STRANGERS_EVENTS } from './ci-services.ts';

/** Claims that identify a repository; a publisher has at least one. */
export const IDENTIFYING_CLAIMS: readonly string[] = [
  'repository_id',
  'project_id',
  'repository',
  'project_path',
  'sub',
];

/** Claims that are checked anyway, by rules of their own. */
export const CHECKED_CLAIMS: readonly string[] = ['iss', 'aud', 'exp', 'nbf', 'iat', 'jti'];

/** An owner, perhaps groups below it, and a name; no segment of dots, which would lead to another address. */
export const REPOSITORY_FORM = /^(?!\.\.?\/)[\w.-]+(?:\/(?!\.\.?(?:\/|$))[\w.-]+)+$/;

type Payload = Readonly<Record<string, unknown>>;

/** The claims in which a token differs from a publisher, or by which the publisher is not bound to its repository. */
export function differingClaims({ audience, claims }: TrustedPublisher, payload: Payload): string[] {
  const differing = Object.entries(claims).filter(([name, value]) => !hasClaim(payload, name, value));
  const unbound = unboundClaims(claims, (name) => Object.hasOwn(payload, name) && identifies(payload[name]));
  return [
    // A list of audiences is refused, even if it contains the publisher's: the others could use the token too.
    ...(payload['aud'] === audience ? [] : ['aud']),
    ...differing.map(([name]) => name),
    ...unbound.map((name) => `${name} (in the token, but not in the publisher's claims)`),
  ];
}

/**
 * Whether a token has this value as a claim: of the same JSON type, and equal. So "1" is not 1 and "true" is not true. A
 * number outside the integers that JSON carries exactly is equal to none: it may have been rounded.
 */
export function hasClaim(payload: Payload, name: string, value: ClaimValue): boolean {
  if (!Object.hasOwn(payload, name) || payload[name] !== value) return false;
  return typeof value !== 'number' || Number.isSafeInteger(value);
}

/** The event of a run that strangers may have caused; null: none that is known. */
export function strangersEvent(payload: Payload): string | null {
  const values = EVENT_CLAIMS.flatMap((name) => (Object.hasOwn(payload, name) ? [payload[name]].flat() : []));
  const events = values.filter((each) => typeof each === 'string');
  return events.find((each) => STRANGERS_EVENTS.has(each.toLowerCase())) ?? null;
}

/**
 * The claims that bind a token to one repository and one workflow for good, and that a publisher does not name although
 * the tokens have them. Without them, tokens of whoever takes over the name of the repository or its owner are equal, and
 * those of every workflow of the repository.
 */
function unboundClaims(
  claims: TrustedPublisher['claims'],
  isInTokens: (name: string) => boolean,
  services = CI_SERVICES,
): string[] {
  const names = (name: string) => Object.hasOwn(claims, name);
  const isBound = IMMUTABLE_SUBJECT.test(String(claims['sub']));
  return services.flatMap(({ ids, workflows }) => [
    ...(isBound ? [] : ids.filter((name) => isInTokens(name) && !names(name))),
    ...(workflows.some(names) ? [] : workflows.filter(isInTokens).slice(0, 1)),
  ]);
}

/** What is wrong with a list of publishers beyond its schema. */
export function issuesOfPublishers(
  publishers: readonly TrustedPublisher[],
  outbound: OutboundConfig,
): readonly BodyIssue[] {
  return publishers.flatMap(({ issuer, claims }, index) => {
    const pointer = `/items/${index}`;
    const issue = issuerIssue(issuer, outbound);
    return [
      ...(issue === null ? [] : [{ pointer: `${pointer}/issuer`, detail: issue }]),
      ...[...claimIssues(claims), ...bindingIssues(issuer, claims)].map((detail) => ({
        pointer: `${pointer}/claims`,
        detail,
      })),
    ];
  });
}

/** Why an address cannot be an issuer's; null: it can. */
export function issuerIssue(issuer: string, outbound: OutboundConfig): string | null {
  const { trustedIssuers } = outbound;
  if (trustedIssuers.length > 0 && !trustedIssuers.includes(issuer))
    return `The operator allows only these issuers: ${trustedIssuers.join(', ')}.`;
  try {
    const url = requireCallable(issuer, outbound);
    // Tokens are compared with this text: one that a URL is never written as would match none.
    if (url.search === '' && url.hash === '' && [url.href, url.href.replace(/\/$/, '')].includes(issuer))
      return null;
    return `The issuer must be an address without query and fragment, in its normal form, such as ${url.origin}.`;
  } catch (error) {
    if (!(error instanceof AddressRefusedError)) throw error;
    return `The issuer cannot be used: ${error.message}.`;
  }
}

function claimIssues(claims: TrustedPublisher['claims']): string[] {
  const names = Object.keys(claims);
  const checked = names.filter((name) => CHECKED_CLAIMS.includes(name));
  const isIdentified = names.some((name) => IDENTIFYING_CLAIMS.includes(name) && identifies(claims[name]));
  return [
    ...checked.map((name) => `The claim ${name} is checked anyway. Leave it out.`),
    ...(isIdentified
      ? []
      : [
          `At least one claim must identify a repository: ${IDENTIFYING_CLAIMS.join(', ')}. ` +
            'Otherwise everyone with a token of the issuer could import the module.',
        ]),
    ...EVENT_CLAIMS.filter((name) => STRANGERS_EVENTS.has(String(claims[name]).toLowerCase())).map(
      (name) => `Runs of the event ${String(claims[name])} are always refused. Leave ${name} out.`,
    ),
  ];
}

/** What a publisher of a known service lacks, or has in a form that none of its tokens has. */
function bindingIssues(issuer: string, claims: TrustedPublisher['claims']): string[] {
  const service = serviceOf(issuer);
  if (service === undefined || !URL.canParse(issuer)) return [];
  const unbound = unboundClaims(claims, () => true, [service]);
  const misformed = Object.entries(service.forms).filter(
    ([name, [form]]) =>
      Object.hasOwn(claims, name) && !(typeof claims[name] === 'string' && form.test(claims[name])),
  );
  const { name, workflows } = service;
  const [, example] = service.forms[workflows[0]] ?? [];
  const repository = repositoryOf(claims) ?? 'OWNER/REPOSITORY';
  return [
    ...(unbound.length === 0
      ? []
      : [
          `Add ${unbound.join(', ')}: a name alone can be taken by others, and any workflow could import. The portal ` +
            `and modulectl publishers add look the IDs up at ${name}; or run: ${service.commandFor(new URL(issuer), repository)}. ` +
            `${workflows[0]} is such as ${example}.`,
        ]),
    ...misformed.map(([each, [, form]]) => `${each} must be a text such as ${JSON.stringify(form)}.`),
  ];
}

/** The name of the repository, if a claim has it and it is one: advice contains it. */
function repositoryOf({ repository, project_path: path }: TrustedPublisher['claims']): string | null {
  const name = repository ?? path;
  return typeof name === 'string' && REPOSITORY_FORM.test(name) ? name : null;
}

function identifies(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
}
