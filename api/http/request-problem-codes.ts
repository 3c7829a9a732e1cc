/** The meaning of a request's problem: the text of its page at `/problems/<code>`. */
export interface RequestProblemMeaning {
  readonly status: number;
  readonly title: string;
  readonly explanation: string;
  readonly remedy: string;
}

function meaning(status: number, title: string, explanation: string, remedy: string): RequestProblemMeaning {
  return { status, title, explanation, remedy };
}

/** Every problem that a request can fail with, by code. */
export const REQUEST_PROBLEMS = {
  'import-rejected': meaning(
    400,
    'The package was rejected',
    'The package breaks at least one rule; `errors` lists the issues with their locations. Nothing was stored.',
    'Correct the listed issues and upload the package again, with a new Idempotency-Key if it had one.',
  ),
  'import-still-running': meaning(
    504,
    'The import is still running',
    'The import did not end within the time that the server waits. It continues.',
    'Read the import at the address in Location, or upload with Prefer: respond-async.',
  ),
  'import-failed': meaning(
    503,
    'The import failed because of an internal error',
    'The package was received, but the service could not finish the import: it was tried again until its deadline. An operator can retry it.',
    'Read the import later at its address, or upload the package again, with a new Idempotency-Key if it had one.',
  ),
  'changes-expired': meaning(
    410,
    'The changes after this cursor are no longer kept',
    'Changes are kept for 30 days. After a restore from a backup, cursors from after it are unknown.',
    'Call without `cursor` and keep `nextCursor`. Read installations (InstallationsByModuleId), structures and rules anew. Then read the changes after `nextCursor`.',
  ),
  'import-deadline-exceeded': meaning(
    503,
    'The import took too long',
    'The package was received, but its import did not end before its deadline.',
    'Upload the package again, with a new Idempotency-Key if it had one. If this happens again, report the ID of the import to the operator.',
  ),
  'import-cancelled': meaning(
    409,
    'The import was cancelled',
    'The import was cancelled while it was queued. Nothing was stored.',
    'Upload the package again, with a new Idempotency-Key if it had one.',
  ),
  'import-not-cancellable': meaning(
    409,
    'The import cannot be cancelled',
    'Only a queued import can be cancelled.',
    'Read the import to see its result.',
  ),
  'import-not-retryable': meaning(
    409,
    'The import cannot be retried',
    'Only a failed import whose upload is still stored can be retried.',
    'Upload the package again.',
  ),
  'webhook-not-enabled': meaning(
    409,
    'The webhook is not enabled',
    'A paused or disabled webhook is not called.',
    'Change its status to enabled, then repeat the request.',
  ),
  'import-not-failed': meaning(
    409,
    'The import has not failed',
    'Only a failed import can be dismissed.',
    'Read the import to see its result.',
  ),
  'request-file-missing': meaning(
    400,
    'The upload has no file',
    'The body must be multipart/form-data with exactly one field, named file, with the ZIP.',
    'Send the package as the form field file, for example with curl -F file=@package.zip.',
  ),
  'request-too-large': meaning(
    413,
    'The request is too large',
    'The body exceeds a limit. The limits are at /api/v8.0/limits.',
    'Send a smaller body.',
  ),
  'request-too-slow': meaning(
    408,
    'The request was too slow',
    'The headers did not arrive in time, or the body arrived with less than 16 KiB/s for a minute.',
    'Try again on a better connection.',
  ),
  'request-invalid': meaning(
    400,
    'The request is not valid',
    'A parameter, header or member of the body is missing or not valid.',
    'Correct the issues in `detail` and `errors`.',
  ),
  'request-idempotency-mismatch': meaning(
    422,
    'The idempotency key was used for another request',
    'A key identifies one request by its method, path, parameters and body.',
    'Use a new key for a new request.',
  ),
  'registry-revision-changed': meaning(
    412,
    'The module has another revision',
    'The newest revision of the module does not match If-Match.',
    'Read the module, review what changed, and send the request again with the newest revision, `newestRevision`.',
  ),
  'structures-changed': meaning(
    412,
    'The structures have changed since they were read',
    'Farms, fields or other structures of the organization are not those of the ETag in If-Match.',
    'Read the structures again, repeat the change on them, and send their new ETag.',
  ),
  'revision-current': meaning(
    409,
    'A revision that is in use cannot be deleted',
    'The current revision, that of a ring, those with previewers and the only one of a module are in use. Other revisions can be deleted.',
    'Release another revision or import another package first, remove its previewers, or delete the module.',
  ),
  'revision-released': meaning(
    409,
    'The revision is not staged',
    'Only a staged revision has previewers.',
    'Release the revision to the organizations with `organizationIds` instead.',
  ),
  'revision-has-placeholders': meaning(
    409,
    'The revision has placeholders of a new module',
    'modulectl init writes texts, addresses and documents that the author of the module replaces. `errors` has those that the revision still contains, with their locations.',
    'Replace each of them in the package, import it again, and release that revision.',
  ),
  'revision-awaits-review': meaning(
    409,
    'The first release needs the approval of an operator',
    'Operators review the first release of a vendor that they have not verified. The request has put the revision into their queue, unless they have declined it.',
    'Read the decision with GET …/modules/{moduleId}/reviews. Once the revision is approved, the same request releases it. Instead of one that was declined, import and release another.',
  ),
  'revision-scope-taken': meaning(
    409,
    'The scope of the revision is taken',
    'The revision has another scope than the current one, and another module of the tenant has taken it.',
    'Import the package with another scope and release that revision.',
  ),
  'report-open': meaning(
    409,
    'The organization has reported the module',
    'An organization can report a module again after an operator has decided about its last report.',
    'Wait for the decision. In urgent cases contact the operator of the service.',
  ),
  'review-answered': meaning(
    409,
    'The decision has its answer',
    'The vendor of a module can answer each decision about it once.',
    'Read the answer with GET …/modules/{moduleId}/reviews. Contact the operator of the service to add to it.',
  ),
  'review-decided': meaning(
    409,
    'The review is decided',
    'Another operator has decided, or the request was repeated.',
    'Read the decided reviews with ?decided=true.',
  ),
  'scope-in-use': meaning(
    409,
    'A module has the scope',
    'A scope is freed only if no module has it, and no organization sees a revision with it.',
    'Delete or rename the module first.',
  ),
  'module-withdrawn': meaning(
    409,
    'The module is not offered for new installations',
    'Its vendor has withdrawn it; `detail` has the reason. Existing installations continue.',
    'Install another module, or ask the vendor.',
  ),
  'module-quarantined': meaning(
    403,
    'The module is in quarantine',
    'An operator has stopped the module; `detail` has the reason. Its files are blocked and its API keys are disabled.',
    'Wait until an operator ends the quarantine. The vendor of the module can contact the operator of the service.',
  ),
  'organization-suspended': meaning(
    403,
    'The organization is suspended',
    'An operator has suspended the organization; `detail` has the reason. Its tokens, sessions, API keys and trusted ' +
      'publishers are refused. Its imports and the deliveries of its webhooks wait.',
    'Contact the operator of the service. When the suspension is lifted, the same request works, and what waits goes on.',
  ),
  'method-not-allowed': meaning(
    405,
    'The method is not allowed',
    'The resource exists but does not support this method; Allow lists those that it supports.',
    'Use one of the methods in Allow.',
  ),
  'auth-token-invalid': meaning(
    401,
    'The access token is missing or not valid',
    'The request needs a bearer token of the configured issuer: signed, for this audience, not expired.',
    'Get a new token and send it as Authorization: Bearer.',
  ),
  'auth-forbidden': meaning(
    403,
    'The token does not allow this',
    'The token lacks the membership or role that the request needs, or the organization is of the wrong kind.',
    'Use a token with the required role.',
  ),
  'auth-api-key-invalid': meaning(
    401,
    'The API key is missing or not valid',
    'The key is malformed, unknown, expired or revoked; the answer is the same for each.',
    'Send a valid key as X-Api-Key.',
  ),
  'auth-data-area-missing': meaning(
    403,
    'The module does not have the data area',
    'The request needs a data area that the module does not declare.',
    'Declare the data area in the module and import it.',
  ),
  'organization-fixed': meaning(
    409,
    'Kind and tenant of an organization cannot change',
    'The organization exists with another kind or tenant, or it was deleted.',
    'Create another organization.',
  ),
  'organization-in-use': meaning(
    409,
    'Other organizations use the organization’s modules',
    "Deleting this vendor would uninstall its modules from farmers' organizations.",
    'To do that, repeat the request with ?uninstall=true.',
  ),
  'last-administrator': meaning(
    409,
    'The organization would have no administrator',
    'The member is the last administrator kept by the service, and the caller is an administrator only by this record.',
    'Make another member an administrator first, or ask an operator.',
  ),
  'address-unverified': meaning(
    409,
    'There is no verified mail address',
    'Mails are sent only to an address that the identity provider has verified: anybody could name that of a stranger.',
    'Verify your address at the identity provider, sign in again, and repeat the request.',
  ),
  'installation-dependency-missing': meaning(
    409,
    'A required module is not installed',
    'The module needs other modules, and the organization has not installed all of them.',
    'Install the modules that `errors` names first.',
  ),
  'installation-offer-changed': meaning(
    412,
    'The offer has changed since it was read',
    'Revision, data areas, prices, terms or privacy statement of the module are not those of the ETag in If-Match.',
    'Read the offer again, show the farmer what changed (`changes`), and send its new ETag with what the farmer accepts.',
  ),
  'installation-terms-changed': meaning(
    409,
    'The accepted terms are not the current ones',
    "The module's terms for the organization's country differ from acceptedTerms.",
    'Read the module again, show its terms to the farmer, and send the SHA-256 of each of their files.',
  ),
  'quota-exceeded': meaning(
    409,
    'A quota of the organization is used up',
    'The organization has reached a quota; /api/v8.0/limits returns the quotas.',
    'Delete what is no longer needed, or ask the operator of the service for a higher limit.',
  ),
  'not-found': meaning(
    404,
    'Not found',
    'There is no such resource, or the organization does not have it.',
    'Check the address and the IDs in it.',
  ),
  'rate-limited': meaning(
    429,
    'Too many requests',
    'A limit of the organization or key is exceeded.',
    'Try again after the seconds in Retry-After.',
  ),
  unavailable: meaning(
    503,
    'The service is not available',
    'A part of the service is unavailable or overloaded.',
    'Try again after the seconds in Retry-After.',
  ),
} as const satisfies Record<string, RequestProblemMeaning>;

export type RequestProblemCode = keyof typeof REQUEST_PROBLEMS;
