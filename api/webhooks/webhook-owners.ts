import type { Actor } from '../../shared/db/access/audit-log.ts';
import { OPERATOR_TYPES } from '../../shared/db/changes/change-types.ts';
import type { ModuleKey } from '../../shared/db/modules/models.ts';
import { OPERATOR_OWNER } from '../../shared/db/webhooks/operator-owner.ts';
import { TYPES } from '../changes/change.ts';
import { actorOf, moduleKey, tokenActor, type OrganizationAccess } from '../auth/access.ts';
import type { Principal } from '../auth/access-token.ts';
import {
  operator,
  vendorAdmin,
  vendorMember,
  type EndpointAccess,
  type OrganizationsAccess,
} from '../auth/endpoint-access.ts';
import { guid } from '../http/schema.ts';
import { webhookAnswers, webhookInputs } from './webhook-schemas.ts';

const MODULE = {
  ...webhookInputs('Webhook', TYPES),
  ...webhookAnswers('Webhook', { moduleId: guid('The module whose changes are delivered.') }, TYPES),
};
const DEPLOYMENT = {
  ...webhookInputs('OperatorWebhook', OPERATOR_TYPES),
  ...webhookAnswers('OperatorWebhook', {}, OPERATOR_TYPES),
};

/** Whose webhooks endpoints are about: where they are, who may call, and what they answer. */
export interface WebhookOwner<Caller> {
  readonly path: '/api/v8.0/{orgId}/webhooks/{moduleId}' | '/api/v8.0/operations/webhooks';
  /** In operation IDs. */
  readonly noun: 'Webhook' | 'OperatorWebhook';
  /** In summaries. */
  readonly of: string;
  readonly schemas: typeof MODULE | typeof DEPLOYMENT;
  readonly read: EndpointAccess<Caller>;
  readonly write: OrganizationsAccess<Caller>;
  keyOf(caller: Caller, path: { readonly moduleId: string }): ModuleKey;
  actorOf(caller: Caller): Actor;
}

/** The webhooks of a vendor's module. */
export const MODULE_OWNER: WebhookOwner<OrganizationAccess> = {
  path: '/api/v8.0/{orgId}/webhooks/{moduleId}',
  noun: 'Webhook',
  of: '',
  schemas: MODULE,
  read: vendorMember,
  write: vendorAdmin,
  keyOf: moduleKey,
  actorOf,
};

/** The webhooks of the operator, which are about all modules. */
export const DEPLOYMENT_OWNER: WebhookOwner<Principal> = {
  path: '/api/v8.0/operations/webhooks',
  noun: 'OperatorWebhook',
  of: ' of the operator',
  schemas: DEPLOYMENT,
  read: operator,
  write: {
    ...operator,
    ownerOf: () => OPERATOR_OWNER.organizationId,
    authorityOf: (caller) => tokenActor(caller).authority,
  },
  keyOf: () => OPERATOR_OWNER,
  actorOf: tokenActor,
};
