import { parseArgs } from 'node:util';
import { loadProcessConfig } from '../config/config.ts';
import { isGuid } from '../package/schema/schema-parts.ts';
import { readIssuer } from './issuer.ts';
import { signToken } from './issuer-tokens.ts';

const USAGE =
  'usage: npm run --silent token -- --org GUID [--org GUID …] [--role OrganizationMember] [--operator]';
const ROLES = ['OrganizationAdmin', 'OrganizationMember'];

/** Reads the command's arguments. @throws Error if one of them is not valid. */
function readArguments() {
  const { values } = parseArgs({
    options: {
      org: { type: 'string', multiple: true },
      role: { type: 'string' },
      operator: { type: 'boolean' },
    },
  });
  const { org = [], role = 'OrganizationAdmin', operator: isOperator = false } = values;
  const isGood = ROLES.includes(role) && org.every((id) => isGuid(id)) && (org.length > 0 || isOperator);
  if (!isGood) throw new Error(USAGE);
  return { organizations: org.map((id) => ({ id: id.toLowerCase(), roles: [role] })), isOperator };
}

function fail(text: string, exitCode: number): void {
  console.error(text);
  process.exitCode = exitCode;
}

async function printToken(claims: ReturnType<typeof readArguments>): Promise<void> {
  const config = loadProcessConfig();
  const identity = await readIssuer(config.dataDir);
  if (identity === null) fail(`No local stack has run on ${config.dataDir}. Run npm start first.`, 1);
  else console.log(await signToken(identity, { audience: config.auth.audience, ...claims }));
}

let claims;
try {
  claims = readArguments();
} catch {
  fail(USAGE, 2);
}
if (claims !== undefined) await printToken(claims);
