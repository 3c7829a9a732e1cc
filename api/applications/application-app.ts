import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import {
  findApplicationFile,
  findReleasedModule,
  type ApplicationFile,
  type ServedModule,
} from '../../shared/db/modules/applications.ts';
import { currentOwner, forOwner } from '../../shared/limits/owner.ts';
import { isStorable } from '../http/schema.ts';
import type { ApiContext } from '../context.ts';
import { sendFile } from '../http/answer/file-answer.ts';
import { logRequests, noteFacts } from '../http/server/access-log.ts';
import { measureRequests, mountedAt, traceRequests } from '../http/server/observe-requests.ts';
import { methodNotAllowed, notFoundHandler, ProblemError, problemHandler } from '../http/problem.ts';
import { RecentReads } from '../http/limits/shared-reads.ts';
import { quarantined } from '../modules/missing-file.ts';
import { APPLICATION_FOLDER, applicationHeaders, fileUse } from './application-headers.ts';
import { LOCAL_ORIGINS, moduleOfHost } from './application-origins.ts';

/**
 * The origins of modules' web applications, one for each module. Their code runs apart from the rest of this service: it
 * shares no route with the API and the portal, reads no credential and sets no cookie.
 */
export function createApplicationApp(api: ApiContext): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', api.config.server.trustProxy);
  app.set('query parser', false);
  app.set('etag', false);
  app.use(
    mountedAt('/applications'),
    traceRequests(api.tracing),
    measureRequests(api.metrics),
    logRequests(api.log),
    (request, _response, next) => forOwner(`address ${request.ip ?? ''}`, next),
    applicationHeaders(api.config),
    api.stop.handler(),
  );
  const route = app.route('/:revision/*path');
  route.get(refuseServiceWorkers, applicationFiles(api));
  route.all(methodNotAllowed('GET', 'HEAD'));
  app.use(notFoundHandler);
  app.use(problemHandler(api.log, api.config.server.publicUrl));
  return app;
}

/** The parts of an address; the path is that in the package. */
interface Address {
  readonly moduleId: string;
  readonly revision: string;
  readonly path: string;
}

/** A service worker would answer in the farmer's browser after its module was withdrawn or put into quarantine. */
const refuseServiceWorkers: RequestHandler = (request, _response, next) => {
  if (request.get('service-worker') !== undefined)
    throw new ProblemError('auth-forbidden', 'Applications of modules cannot register service workers.');
  next();
};

/** Sends a file of a revision; of `current`, redirects to the revision that is released to everyone. */
function applicationFiles(api: ApiContext): RequestHandler {
  const files = new RecentReads<ApplicationFile>();
  const sendFound = async (request: Request, response: Response, { moduleId, revision, path }: Address) => {
    const find = () => findApplicationFile(api.database, moduleId, Number(revision), path);
    const file = await files.find(`${moduleId} ${revision} ${path}`, find);
    if (file === null) throw noFile();
    requireServed(file);
    // What its readers take is the vendor's part, as for the files that its people read.
    noteFacts(request, { owner: file.organizationId });
    await forOwner(file.organizationId, () =>
      sendFile({ api, request, response, authority: null }, file, fileUse(file)),
    );
  };
  return async (request, response) => {
    await api.admission.turns.awaitTurn(currentOwner());
    const address = addressOf(request, api);
    if (address.revision !== 'current') return sendFound(request, response, address);
    // Read each time: after a roll-back a process that has answered so never redirects to the other revision again.
    const found = await findReleasedModule(api.database, address.moduleId);
    if (found === null) throw noFile();
    requireServed(found);
    const rest = request.path.split('/').slice(2).join('/');
    response.set('Cache-Control', 'no-cache').status(302);
    response.set('Location', `/${found.revision}/${rest}`).end();
  };
}

const REVISION = /^(?:current|[1-9][0-9]{0,8})$/;

function addressOf(request: Request, { config, applicationOrigins }: ApiContext): Address {
  const { revision, path = [] } = request.params;
  // No other header: caches keep the answers of two modules apart by this one alone.
  const moduleId = moduleOfHost(config.applications.origins ?? LOCAL_ORIGINS, request.get('host'));
  if (moduleId === null)
    throw new ProblemError(
      'not-found',
      `This host name belongs to no module. The application of a module is at ${applicationOrigins?.replace('*', 'MODULE-ID') ?? ''}.`,
    );
  const name = [path].flat().join('/');
  if (typeof revision !== 'string' || !REVISION.test(revision) || !isStorable(name)) throw noFile();
  return { moduleId, revision, path: APPLICATION_FOLDER + name.normalize('NFC') };
}

function requireServed({ quarantineReason }: ServedModule): void {
  if (quarantineReason === null) return;
  throw quarantined(quarantineReason);
}

function noFile(): ProblemError {
  return new ProblemError('not-found', 'No module has this file in a revision that is released.');
}
