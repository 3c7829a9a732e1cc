import { freeScope } from '../../shared/db/modules/scopes.ts';
import { tokenActor } from '../auth/access.ts';
import { operator } from '../auth/endpoint-access.ts';
import { deleteEndpoint } from '../http/endpoint.ts';
import { found, ProblemError } from '../http/problem.ts';
import { inputGuid, text } from '../http/schema.ts';

const free = deleteEndpoint('/api/v8.0/operations/scopes/{tenantId}/{scope}', {
  id: 'deleteScope',
  summary: 'Free a scope',
  description:
    'Takes a scope from the organization that registered it, so that any organization of the tenant can register it. ' +
    'Refused while a module has it. The entry in the audit log is in that of the organization.',
  access: operator,
  parameters: { tenantId: inputGuid('The tenant.'), scope: text('The scope, exact and case-sensitive.') },
  problems: ['not-found', 'scope-in-use'],
  async handle({ api, caller, path }) {
    const outcome = await freeScope(api.database, path, tokenActor(caller));
    found(outcome !== 'missing', 'The tenant has no such scope.');
    if (outcome === 'in-use')
      throw new ProblemError('scope-in-use', 'A module of the organization that owns the scope has it.');
  },
});

/** The endpoints for the names of modules. */
export const SCOPE_ENDPOINTS = [free];
