/** What a problem of a request means: the text behind its page at `/problems/<code>`. */
export interface RequestProblemMeaning {
  readonly status: number;
  readonly title: string;
  readonly explanation: string;
  readonly remedy: string;
}

function meaning(status: number, title: string, explanation: string, remedy: string): RequestProblemMeaning {
  return { status, title, explanation, remedy };
}

/** Every problem that a request can be answered with, by code. */
export const REQUEST_PROBLEMS = {
  'import-rejected': meaning(
    400,
    'The package was rejected',
    'The package breaks one rule or more; `errors` lists them, each with its place. Nothing was stored.',
    'Correct what the list names and upload the package again.',
  ),
  'import-still-running': meaning(
    504,
    'The import is still running',
    'It did not end within the time that the server waits. It goes on.',
    'Read the import at the address in Location, or send Prefer: respond-async.',
  ),
  'import-failed': meaning(
    503,
    'The import failed on our side',
    'The package was received, but the service could not finish the import. An operator can try it again.',
    'Read the import later at its address, or upload the package again.',
  ),
  'import-deadline-exceeded': meaning(
    503,
    'The import took too long',
    'The package was received, but its import did not end within the time that one may take.',
    'Upload the package again. If it ends so again, tell the operator the ID of the import.',
  ),
  'import-cancelled': meaning(
    409,
    'The import was cancelled',
    'Somebody cancelled it while it was queued. Nothing was stored.',
    'Upload the package again.',
  ),
  'import-not-cancellable': meaning(
    409,
    'The import cannot be cancelled any more',
    'Only a queued import can be cancelled.',
    'Read the import to see what became of it.',
  ),
  'import-not-retryable': meaning(
    409,
    'The import cannot be retried',
    'Only an import that failed on our side, and whose upload is still kept, can be retried.',
    'Upload the package again.',
  ),
  'request-file-missing': meaning(
    400,
    'The upload has no file',
    'The body must be multipart/form-data with exactly one field, named file, that holds the ZIP.',
    'Send the package as the form field file, for example with curl -F file=@package.zip.',
  ),
  'request-too-large': meaning(
    413,
    'The request is too large',
    'The body is over the limit. The limits are at /api/v8.0/limits.',
    'Send less.',
  ),
  'request-too-slow': meaning(
    408,
    'The request came too slowly',
    'Nothing arrived for 60 seconds, or less than 16 KiB/s.',
    'Try again on a better connection.',
  ),
  'request-invalid': meaning(
    400,
    'The request is not valid',
    'A parameter, header or member of the body is missing or against its rule.',
    'Correct what the detail and the list of errors name.',
  ),
  'request-idempotency-mismatch': meaning(
    422,
    'The idempotency key was used for another upload',
    'A key stands for one upload, told by its content.',
    'Use a new key for a new upload.',
  ),
  'registry-revision-changed': meaning(
    412,
    'The module has moved on',
    'The revision in If-Match is not the current revision of the module.',
    'Read the module, look at what changed, and send the import with the new revision.',
  ),
  'method-not-allowed': meaning(
    405,
    'The method is not allowed here',
    'The resource exists but does not take this method; Allow lists those that it takes.',
    'Use one of the methods in Allow.',
  ),
  'auth-token-invalid': meaning(
    401,
    'The access token is missing or not valid',
    'The call needs a bearer token of the configured issuer: signed, for this audience, not expired.',
    'Get a new token and send it as Authorization: Bearer.',
  ),
  'auth-forbidden': meaning(
    403,
    'The token does not allow this',
    'It holds no membership or role that the call needs, or the organization is of the wrong kind.',
    'Use a token with the role that the call needs.',
  ),
  'auth-api-key-invalid': meaning(
    401,
    'The API key is missing or not valid',
    'It is malformed, unknown, expired or revoked; the answer is the same for each.',
    'Send a valid key as X-Api-Key.',
  ),
  'auth-data-area-missing': meaning(
    403,
    'The module does not have the data area',
    'The call reads data of an area that the module does not declare.',
    'Declare the data area in the module and import it.',
  ),
  'organization-fixed': meaning(
    409,
    'Kind and tenant of an organization never change',
    'The organization exists with another kind or tenant.',
    'Create another organization.',
  ),
  'not-found': meaning(
    404,
    'Not found',
    'There is nothing at this address, or not for this organization.',
    'Check the address and the IDs in it.',
  ),
  'rate-limited': meaning(
    429,
    'Too many requests',
    'A limit of the organization or key is reached. Retry-After says when to try again.',
    'Wait, then try again.',
  ),
  unavailable: meaning(
    503,
    'The service is not available',
    'A part of the service is out of reach or busy. The fault is ours.',
    'Try again; Retry-After says when.',
  ),
} as const satisfies Record<string, RequestProblemMeaning>;

export type RequestProblemCode = keyof typeof REQUEST_PROBLEMS;
