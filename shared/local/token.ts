import { loadProcessConfig } from '../config/config.ts';
import { isGuid } from '../package/schema/schema-parts.ts';
import { runCommand } from '../process/run-command.ts';
import { readIssuer } from './issuer.ts';
import { signToken } from './issuer-tokens.ts';

const USAGE = 'npm run --silent token -- --org GUID [--org GUID …] [--role OrganizationMember] [--operator]';
const OPTIONS = {
  org: { type: 'string', multiple: true },
  role: { type: 'string', default: 'OrganizationAdmin' },
  operator: { type: 'boolean', default: false },
} as const;
const ROLES = ['OrganizationAdmin', 'OrganizationMember'];

function fail(text: string, exitCode: number): number {
  console.error(text);
  return exitCode;
}

runCommand(USAGE, OPTIONS, async ({ org = [], role, operator: isOperator }) => {
  if (!ROLES.includes(role) || !org.every((id) => isGuid(id)) || (org.length === 0 && !isOperator))
    return fail(`usage: ${USAGE}`, 2);
  const { auth, dataDir } = loadProcessConfig();
  const identity = await readIssuer(dataDir);
  if (identity === null) return fail(`No local stack has run on ${dataDir}. Run npm start first.`, 1);
  const organizations = org.map((id) => ({ id: id.toLowerCase(), roles: [role] }));
  console.log(await signToken(identity, { audience: auth.audience, organizations, isOperator }));
  return 0;
});
