import type { Static } from 'typebox';
import {
  findPublicationRecord,
  type PublicationRecord,
} from '../../shared/db/modules/publication-records.ts';
import { type PassedCheck, RULE_VERSIONS } from '../../shared/package/rule-versions.ts';
import { anyone, RATE_HEADERS, type EndpointAccess } from '../auth/endpoint-access.ts';
import { finishedJson, ok, reply, timestamp } from '../http/answer.ts';
import { clientNetwork } from '../http/limits/rate-limit.ts';
import { hashOfJson, IF_NONE_MATCH, isKnown } from '../http/request/conditional-request.ts';
import { endpoint } from '../http/endpoint.ts';
import { found } from '../http/problem.ts';
import { dateTime, guid, integer, listOf, namedObject, oneOf, orNull, sha256, text } from '../http/schema.ts';
import { REVISION_QUERY } from './vendor-module.ts';

const MAX_AGE_SECONDS = 60;
const HEADERS = ['ETag', 'Cache-Control'];

const importer = namedObject(
  'RevisionImporter',
  'The importer of a revision. A person is not named: only the audit log has the subject.',
  {
    kind: oneOf(
      ['member', 'trustedPublisher'],
      'A `member` of the organization, or a `trustedPublisher`: a CI run that the vendor trusts.',
    ),
    issuer: orNull(text('The issuer that identified the CI run; null for a member.')),
    repository: orNull(text('The repository of the CI run; null if the issuer does not name it.')),
    workflow: orNull(
      text('The file of the workflow at its branch or tag; null if the issuer does not name it.'),
    ),
    commit: orNull(text('The commit that the CI run built; null if the issuer does not name it.')),
    run: orNull(text('The ID of the CI run at its issuer; null if the issuer does not name it.')),
  },
);

const passedCheck = namedObject('PassedCheck', 'Rules that checked the package.', {
  name: oneOf(
    Object.keys(RULE_VERSIONS) as readonly PassedCheck['name'][],
    'The rules: the first words of their problem codes.',
  ),
  version: integer('The version of the rules; it changes whenever one of them does.', 1),
});

const publicationRecord = namedObject('PublicationRecord', 'The origin of a revision.', {
  moduleId: guid('The ID of the module.'),
  revision: integer('The number of the revision.', 1),
  organizationId: guid('The organization that offers the module.'),
  vendorName: text('The name of the organization.'),
  archiveSha256: sha256('The SHA-256 of the uploaded archive, in hexadecimal digits.'),
  archiveBytes: integer('The size of the uploaded archive, in bytes.'),
  importer,
  checks: listOf(passedCheck, 'The rules that the package has passed.'),
  importedAt: dateTime('When the import succeeded.'),
  releasedAt: dateTime('When it was first released, to everyone or to a ring.'),
});

const publicRead: EndpointAccess<undefined> = {
  ...anyone,
  problems: [...anyone.problems, 'rate-limited'],
  headers: RATE_HEADERS,
};

/** How a released revision came to be, for anyone. */
export const readPublicationRecord = endpoint('get', '/api/v8.0/publicationRecords/{moduleId}', {
  id: 'readPublicationRecord',
  summary: 'Read the public record of a revision',
  description:
    'The hash of the archive, its importer, and the rules that checked it. Staged revisions have no public record.',
  access: publicRead,
  query: REVISION_QUERY,
  headers: IF_NONE_MATCH,
  answers: {
    200: finishedJson('The record.', publicationRecord, HEADERS),
    304: { description: 'The caller has this version.', headers: HEADERS },
  },
  problems: ['not-found', 'request-invalid'],
  async handle({ api, request, response, path: { moduleId }, query }) {
    const network = clientNetwork(request.ip ?? '');
    await api.publicRate.spend(network, 'The public reads of your network', response);
    const row = await findPublicationRecord(api.database, moduleId, query.revision ?? null);
    const record = recordOf(found(row, 'No such revision has been released.'));
    const etag = `"${hashOfJson(record)}"`;
    const headers = { ETag: etag, 'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}` };
    return isKnown(request, etag) ? reply(304, undefined, headers) : ok(record, headers);
  },
});

function recordOf(record: PublicationRecord): Static<typeof publicationRecord> {
  const { publisher, createdAt, releasedAt, ...members } = record;
  const kind = publisher === null ? 'member' : 'trustedPublisher';
  const { issuer = null, repository = null, workflow = null, commit = null, run = null } = publisher ?? {};
  return {
    ...members,
    importer: { kind, issuer, repository, workflow, commit, run },
    importedAt: timestamp(createdAt),
    releasedAt: timestamp(releasedAt),
  };
}
