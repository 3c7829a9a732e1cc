import { parseArgs } from 'node:util';
import { loadProcessConfig } from '../config/config.ts';
import { isGuid } from '../package/schema/schema-parts.ts';
import { readIssuer } from './issuer.ts';
import { signToken } from './issuer-tokens.ts';

const USAGE =
  'usage: npm run --silent token -- --org GUID [--org GUID …] [--role OrganizationMember] [--operator]';
const ROLES = ['OrganizationAdmin', 'OrganizationMember'];

interface TokenArguments {
  readonly organizationIds: readonly string[];
  readonly role: string;
  readonly isOperator: boolean;
}

function readArguments(): TokenArguments | null {
  try {
    const { values } = parseArgs({
      options: {
        org: { type: 'string', multiple: true },
        role: { type: 'string' },
        operator: { type: 'boolean' },
      },
    });
    const { org = [], role = 'OrganizationAdmin', operator = false } = values;
    const isGood = ROLES.includes(role) && org.every((id) => isGuid(id)) && (org.length > 0 || operator);
    return isGood ? { organizationIds: org.map((id) => id.toLowerCase()), role, isOperator: operator } : null;
  } catch {
    return null;
  }
}

function fail(text: string, exitCode: number): void {
  console.error(text);
  process.exitCode = exitCode;
}

async function printToken({ organizationIds, role, isOperator }: TokenArguments): Promise<void> {
  const config = loadProcessConfig();
  const identity = await readIssuer(config.dataDir);
  if (identity === null) {
    fail(`No local stack has run on ${config.dataDir}. Run npm start first.`, 1);
    return;
  }
  const organizations = organizationIds.map((id) => ({ id, roles: [role] }));
  console.log(await signToken(identity, { audience: config.auth.audience, organizations, isOperator }));
}

const read = readArguments();
if (read === null) fail(USAGE, 2);
else await printToken(read);
