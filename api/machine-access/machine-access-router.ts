import { Router } from 'express';
import type { Request, Response } from 'express';
import { findModuleAlertRules, listModuleRules } from '../../shared/db/alerts/module-alert-rules.ts';
import { declaresDataArea } from '../../shared/db/access/module-grants.ts';
import { raiseAlerts } from '../../shared/db/alerts/raise-alerts.ts';
import type { AlertFault } from '../../shared/db/alerts/raise-alerts.ts';
import type { ApiContext } from '../context.ts';
import { guidQuery, methodNotAllowed } from '../http/problem.ts';
import { bodyProblem, bodyReader, jsonBody } from '../http/json-body.ts';
import type { BodyFault } from '../http/json-body.ts';
import { pageAnswer, pageRequest } from '../http/pagination.ts';
import { alertsBody, readAlerts } from './alerts-body.ts';
import { dataAreaMissing, machineCaller } from './caller.ts';
import type { MachineCaller } from './caller.ts';
import { MachineRate } from './machine-rate.ts';
import { sendStructures } from '../structures/send-structures.ts';
import { findForModule } from '../structures/structures-request.ts';
import type { FoundStructures } from '../structures/structures-request.ts';
import { ruleItem } from '../alert-rules/rule-item.ts';
import { SharedReads } from '../http/shared-reads.ts';

/** What a module's own back end calls with its API key. */
export function machineAccessRouter(api: ApiContext): Router {
  const router = Router();
  const rate = new MachineRate(api.config.machineAccess, api.redis);
  addStructures(router, api, rate);
  addRules(router, api, rate);
  addAlerts(router, api, rate);
  return router;
}

function addStructures(router: Router, api: ApiContext, rate: MachineRate): void {
  const reads = new SharedReads<FoundStructures>();
  router.get('/Alerts/StructuresByModuleId/:moduleId', async (request, response) => {
    const caller = await machineCaller(api, rate, request, response, 'FarmOrganization');
    const find = findForModule(api, reads, request, caller);
    await sendStructures(request, response, api.structures, find, () => api.streamSlots.take(caller.id));
  });
  router.all('/Alerts/StructuresByModuleId/:moduleId', methodNotAllowed('GET'));
}

function addRules(router: Router, api: ApiContext, rate: MachineRate): void {
  router.get('/Alerts/RuleDefinitionsByModuleId/:moduleId', async (request, response) => {
    const caller = await alertsCaller(api, rate, request, response);
    const found = await findModuleAlertRules(api.database, caller.moduleId);
    response.json({
      moduleId: caller.moduleId,
      revision: found?.revision ?? null,
      alertRules: found?.alertRules ?? null,
    });
  });
  router.all('/Alerts/RuleDefinitionsByModuleId/:moduleId', methodNotAllowed('GET'));

  router.get('/Alerts/RulesByModuleId/:moduleId', async (request, response) => {
    const caller = await alertsCaller(api, rate, request, response);
    const filter = { ...caller, organizationId: guidQuery(request, 'organizationId') };
    const page = await listModuleRules(api.database, filter, pageRequest(request));
    response.json(pageAnswer(page, ruleItem));
  });
  router.all('/Alerts/RulesByModuleId/:moduleId', methodNotAllowed('GET'));
}

function addAlerts(router: Router, api: ApiContext, rate: MachineRate): void {
  const path = '/Alerts/AlertsByModuleId/:moduleId';
  const readBody = bodyReader(api.config.server.maxJsonBodyBytes);
  router.post(path, async (request, response) => {
    const caller = await alertsCaller(api, rate, request, response);
    await readBody(request, response);
    const { alerts, faults } = readAlerts(jsonBody(request, alertsBody).alerts);
    if (faults.length > 0) throw bodyProblem(faults);
    const raised = await raiseAlerts(api.database, caller, alerts);
    if ('faults' in raised) throw bodyProblem(raised.faults.map(describeFault));
    response.json({ results: raised.results });
  });
  router.all(path, methodNotAllowed('POST'));
}

/** A caller of the calls about alerts, whose data area the module declares. */
async function alertsCaller(
  api: ApiContext,
  rate: MachineRate,
  request: Request,
  response: Response,
): Promise<MachineCaller> {
  const caller = await machineCaller(api, rate, request, response, 'FarmOrganizationAlerts');
  if (await declaresDataArea(api.database, caller.moduleId, caller.dataAreaId)) return caller;
  throw dataAreaMissing('FarmOrganizationAlerts');
}

function describeFault({ index, member }: AlertFault): BodyFault {
  return {
    pointer: `/alerts/${index}/${member}`,
    detail:
      member === 'ruleId'
        ? 'There is no such rule of this module in an organization that has opened its alerts to it.'
        : "The rule's organization has no such structure of this type.",
  };
}
