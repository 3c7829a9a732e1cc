import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Static } from 'typebox';
import { FILES_AT_ONCE, findMoreFiles } from '../../shared/db/modules/modules.ts';
import {
  findPublicationRecord,
  type PublicationRecord,
} from '../../shared/db/modules/publication-records.ts';
import { type PassedCheck, RULE_VERSIONS } from '../../shared/package/record/rule-versions.ts';
import { anyone, type EndpointAccess } from '../auth/endpoint-access.ts';
import { json, ok, reply, SENT } from '../http/answer.ts';
import { clientNetwork } from '../http/client-network.ts';
import { IF_NONE_MATCH, isKnown } from '../http/conditional.ts';
import { endpoint } from '../http/endpoint.ts';
import { ProblemError } from '../http/problem.ts';
import {
  boolean,
  dateTime,
  guid,
  integer,
  listOf,
  namedObject,
  oneOf,
  orNull,
  sha256,
  text,
} from '../http/schema.ts';
import { sendStream } from '../http/send-stream.ts';
import { timestamp } from '../http/timestamp.ts';
import { moduleFile, REVISION_QUERY, textsWithFiles } from './vendor-module.ts';

const MAX_AGE_SECONDS = 60;
const HEADERS = ['ETag', 'Cache-Control'];

const importer = namedObject(
  'RevisionImporter',
  'Who imported a revision. A person is not named: the vendor knows who it was.',
  {
    kind: oneOf(
      ['member', 'trustedPublisher'],
      'A `member` of the organization, or a `trustedPublisher`: a CI run that the vendor trusts.',
    ),
    issuer: orNull(text('The issuer that identified the CI run; null for a member.')),
    repository: orNull(text('The repository of the CI run; null if the issuer does not name it.')),
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

const publicationRecord = namedObject('PublicationRecord', 'How a revision of a module came to be.', {
  moduleId: guid('The ID of the module.'),
  revision: integer('The number of the revision.', 1),
  organizationId: guid('The organization that offers the module.'),
  vendorName: text('The name of the organization.'),
  archiveSha256: sha256('The SHA-256 of the uploaded archive, in hexadecimal digits.'),
  archiveBytes: integer('The size of the uploaded archive, in bytes.'),
  filesSha256: sha256(
    'The SHA-256 of the lines that `sha256sum` prints for the files, by path; the descriptor is not among them.',
  ),
  descriptorSha256: sha256(
    'The SHA-256 of the descriptor in normal form, without the values of environment variables.',
  ),
  importer,
  checks: listOf(passedCheck, 'The rules that the package has passed.'),
  importedAt: dateTime('When the import succeeded.'),
  releasedAt: dateTime('When it was first released, to everyone or to a ring.'),
  files: orNull(
    listOf(moduleFile, 'The files of the revision, by path.'),
    'The files of the revision, by path; null if the call omits them.',
  ),
});

const publicRead: EndpointAccess<undefined> = {
  ...anyone,
  problems: [...anyone.problems, 'rate-limited'],
};

/** How a released revision came to be, for anyone. */
export const readPublicationRecord = endpoint({
  id: 'readPublicationRecord',
  method: 'get',
  path: '/api/v8.0/publicationRecords/{moduleId}',
  tag: 'Modules',
  summary: 'Read the public record of a revision',
  description:
    'Hashes of the archive and of each file, who imported it, and the rules that checked it. `modulectl verify` ' +
    'compares a package with it. Staged revisions have no public record.',
  access: publicRead,
  query: {
    ...REVISION_QUERY,
    files: boolean('Whether the record contains the files; default: true.'),
  },
  headers: IF_NONE_MATCH,
  answers: {
    200: json('The record.', publicationRecord, HEADERS),
    304: { description: 'The caller has this version.', headers: HEADERS },
  },
  problems: ['not-found', 'request-invalid'],
  async handle({ api, request, response, path: { moduleId }, query }) {
    await api.publicRate.spend(clientNetwork(request.ip ?? ''), 'The public reads of your network');
    const found = await findPublicationRecord(api.database, moduleId, query.revision ?? null);
    if (found === null) throw new ProblemError('not-found', 'No such revision has been released.');
    const withFiles = query.files !== false;
    const record = recordOf(found);
    const etag = `"${createHash('sha256')
      .update(JSON.stringify([record, withFiles]))
      .digest('base64url')}"`;
    const headers = { ETag: etag, 'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}` };
    if (isKnown(request, etag)) return reply(304, undefined, headers);
    if (!withFiles) return ok({ ...record, files: null }, headers);
    const key = { id: moduleId, revision: found.revision };
    const files = await findMoreFiles(api.database, key, '');
    if (files.length < FILES_AT_ONCE) return ok({ ...record, files }, headers);
    response.set(headers).type('json');
    const texts = textsWithFiles(api.database, key, { ...record, files });
    await sendStream({ api, response }, Readable.from(texts));
    return SENT;
  },
});

function recordOf(found: PublicationRecord): Omit<Static<typeof publicationRecord>, 'files'> {
  const { publisher, createdAt, releasedAt, ...members } = found;
  return {
    ...members,
    importer: {
      kind: publisher === null ? 'member' : 'trustedPublisher',
      issuer: publisher?.issuer ?? null,
      repository: publisher?.repository ?? null,
      commit: publisher?.commit ?? null,
      run: publisher?.run ?? null,
    },
    importedAt: timestamp(createdAt),
    releasedAt: timestamp(releasedAt),
  };
}
