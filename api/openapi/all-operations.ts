import { ALERT_RULE_OPERATIONS } from './operations/alert-rules.ts';
import { API_CLIENT_OPERATIONS } from './operations/api-clients.ts';
import { FARMER_OPERATIONS } from './operations/farmers.ts';
import { MACHINE_OPERATIONS } from './operations/machine-access.ts';
import { PLATFORM_OPERATIONS } from './operations/platform.ts';
import { SERVICE_OPERATIONS } from './operations/service.ts';
import type { Access, Operation } from './operation.ts';

/** Every call that the document tells. */
export const OPERATIONS: readonly Operation[] = [
  ...API_CLIENT_OPERATIONS,
  ...MACHINE_OPERATIONS,
  ...FARMER_OPERATIONS,
  ...ALERT_RULE_OPERATIONS,
  ...PLATFORM_OPERATIONS,
  ...SERVICE_OPERATIONS,
];

/** What the calls are grouped by, in the order of the document. */
export const TAGS: Readonly<Record<string, string>> = {
  Imports: 'Uploading packages, and what became of them.',
  Modules: "A vendor's modules, their revisions and files.",
  'API clients': 'The API keys of a module, and the log of who made and ended them.',
  'Machine access': "What a module's own back end calls with its API key.",
  'Farm structures': "A farmer's farms, fields, blocks and irrigation stations.",
  Installations: 'What a farmer can install, and has installed.',
  Alerts: 'What modules raised for a farmer.',
  'Alert rules': 'The rules that a farmer builds from what modules offer.',
  'Catalogue and limits': 'The values that packages refer to by ID, and the limits in force.',
  Operators: 'For those who run the service.',
  Health: 'For what watches the service.',
  Documents: 'What the service tells of itself.',
};

/** What each kind of access asks of the caller. */
export const NEEDS: Readonly<Record<Access, string>> = {
  probe: 'What watches the process may call it, also while it stops.',
  public: 'Anyone may call it.',
  anyToken: 'Needs any valid token.',
  operator: 'Needs a token with the scope `operator`.',
  vendorMember: 'Needs the role `OrganizationMember` in a vendor organization.',
  vendorAdmin: 'Needs the role `OrganizationAdmin` in a vendor organization.',
  farmerMember: 'Needs the role `OrganizationMember` in a farmer organization.',
  farmerAdmin: 'Needs the role `OrganizationAdmin` in a farmer organization.',
  apiKey: 'Needs an API key of the module, and its data area.',
};
