import { declaresDataArea } from '../../shared/db/access/module-grants.ts';
import { apiKeyFor, type EndpointAccess } from '../auth/endpoint-access.ts';
import { dataAreaRefusal, type MachineCaller } from './caller.ts';

const alertsKey = apiKeyFor('FarmOrganizationAlerts');

/** A key of a module that declares the data area of alerts. */
export const alertsAccess: EndpointAccess<MachineCaller> = {
  ...alertsKey,
  async authorize(api, request, response) {
    const caller = await alertsKey.authorize(api, request, response);
    if (await declaresDataArea(api.database, caller.moduleId, caller.dataAreaId)) return caller;
    throw await dataAreaRefusal(api, caller, 'FarmOrganizationAlerts');
  },
};

/** What is wrong with the ID of a rule that the module does not see. */
export const NO_SUCH_RULE = 'The module has no such rule in an organization that granted it alerts.';
