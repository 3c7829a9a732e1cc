import { ALERT_RULE_ENDPOINTS } from './alert-rules/alert-rule-endpoints.ts';
import { ALERT_ENDPOINTS } from './alerts/alert-endpoints.ts';
import { API_CLIENT_ENDPOINTS } from './api-keys/api-client-endpoints.ts';
import { AUDIT_LOG_ENDPOINTS } from './audit-log/audit-log-endpoints.ts';
import { AVAILABLE_MODULE_ENDPOINTS } from './available-modules/available-module-endpoints.ts';
import { CHANGE_ENDPOINTS } from './changes/change-endpoints.ts';
import { CATALOGUE_ENDPOINTS } from './catalogue/catalogue-endpoints.ts';
import { documentEndpoints } from './documents/document-endpoints.ts';
import type { TaggedEndpoint } from './http/endpoint.ts';
import { IMPORT_ENDPOINTS } from './imports/import-endpoints.ts';
import { INSTALLATION_ENDPOINTS } from './installations/installation-endpoints.ts';
import { MACHINE_ENDPOINTS } from './machine-access/machine-endpoints.ts';
import { GROUP_ENDPOINTS } from './members/group-endpoints.ts';
import { INVITATION_ENDPOINTS } from './members/invitation-endpoints.ts';
import { MEMBER_ENDPOINTS } from './members/member-endpoints.ts';
import { MODULE_ENDPOINTS } from './modules/module-endpoints.ts';
import { RELEASE_ENDPOINTS } from './modules/release-endpoints.ts';
import { NOTIFICATION_ENDPOINTS } from './notifications/notification-endpoints.ts';
import { HEALTH_ENDPOINTS } from './operations/health-endpoints.ts';
import { OPERATION_ENDPOINTS } from './operations/operation-endpoints.ts';
import { ORGANIZATION_ENDPOINTS } from './organizations/organization-endpoints.ts';
import { ORGANIZATION_EXPORT_ENDPOINTS } from './organizations/organization-export-endpoint.ts';
import { OWN_ORGANIZATION_ENDPOINTS } from './organizations/own-organizations-endpoint.ts';
import { REVIEW_ENDPOINTS } from './reviews/review-endpoints.ts';
import { SESSION_ENDPOINTS } from './sessions/session-endpoints.ts';
import { STATISTICS_ENDPOINTS } from './statistics/statistics-endpoints.ts';
import { STRUCTURE_ENDPOINTS } from './structures/structure-endpoints.ts';
import { TRUSTED_PUBLISHING_ENDPOINTS } from './trusted-publishing/trusted-publisher-endpoints.ts';
import { USAGE_ENDPOINTS } from './usage/usage-endpoints.ts';
import { WEBHOOK_ENDPOINTS } from './webhooks/webhook-endpoints.ts';

/** The prefix of the versioned API. */
export const API_PREFIX = '/api/v8.0';

/** Every endpoint of the service. */
export const ENDPOINTS: readonly TaggedEndpoint[] = [
  // First, since these calls are by far the most frequent: each route before costs every one of them.
  ...MACHINE_ENDPOINTS,
  ...CHANGE_ENDPOINTS,
  ...CATALOGUE_ENDPOINTS,
  ...ORGANIZATION_ENDPOINTS,
  ...OWN_ORGANIZATION_ENDPOINTS,
  ...GROUP_ENDPOINTS,
  ...INVITATION_ENDPOINTS,
  ...MEMBER_ENDPOINTS,
  ...OPERATION_ENDPOINTS,
  ...IMPORT_ENDPOINTS,
  ...MODULE_ENDPOINTS,
  ...RELEASE_ENDPOINTS,
  ...API_CLIENT_ENDPOINTS,
  ...WEBHOOK_ENDPOINTS,
  ...TRUSTED_PUBLISHING_ENDPOINTS,
  ...AUDIT_LOG_ENDPOINTS,
  ...USAGE_ENDPOINTS,
  ...ORGANIZATION_EXPORT_ENDPOINTS,
  ...STATISTICS_ENDPOINTS,
  ...STRUCTURE_ENDPOINTS,
  ...AVAILABLE_MODULE_ENDPOINTS,
  ...INSTALLATION_ENDPOINTS,
  ...REVIEW_ENDPOINTS,
  ...ALERT_RULE_ENDPOINTS,
  ...ALERT_ENDPOINTS,
  ...NOTIFICATION_ENDPOINTS,
  ...SESSION_ENDPOINTS,
  ...HEALTH_ENDPOINTS,
  ...documentEndpoints(() => ENDPOINTS),
];
