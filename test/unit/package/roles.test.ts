import { expect, test } from 'vitest';
import { validateRoles } from '../../../shared/package/roles/roles-entities.ts';
import {
  checkEntries,
  examplePackage,
  exampleRoles,
  formatProblems,
  jsonText,
} from '../../support/package-builder.ts';

const ENTRY = 'ModuleSpecificRolesEntitiesDefinition/roles.json';

function validate(value: unknown) {
  return validateRoles(ENTRY, Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));
}

function problemsOf(value: unknown): string[] {
  return formatProblems(validate(value).problems);
}

const ROLE = { name: 'A', baseRoles: [], permissions: {} };
const DATA = { name: 'A', intention: 'x' };

test('a misspelled name is reported with the one that is probably meant', () => {
  expect(
    problemsOf({
      roles: [{ ...ROLE, baseRole: [], permissions: { field_notes: [] } }],
      data: [{ ...DATA, environmentVariableKey: 'KEY', color: 'red' }],
    }).map((line) => line.split(' | ')[1]),
  ).toMatchInlineSnapshot(`
    [
      "The property "baseRole" is not known here. Did you mean "baseRoles"?",
      "The name "field_notes" must be of the letters A to Z, in either case, and digits only.",
      "The property "environmentVariableKey" is not known here. Did you mean "environmentKey"?",
      "The property "color" is not known here.",
    ]
  `);
});

test('a permission name with an underscore has the rule of names in its message, and is not called unknown', () => {
  const [line = '', ...others] = problemsOf({ roles: [{ ...ROLE, permissions: { field_notes: [] } }] });
  expect(others).toEqual([]);
  expect(line).toContain(
    'The name "field_notes" must be of the letters A to Z, in either case, and digits only.',
  );
});

test('a valid file is returned in its normal form', () => {
  expect(validate(exampleRoles())).toMatchInlineSnapshot(`
    {
      "problems": [],
      "value": {
        "data": [
          {
            "entityType": null,
            "environmentKey": null,
            "intention": "Advice on irrigation",
            "internalOnly": true,
            "name": "SoilSample",
          },
        ],
        "roles": [
          {
            "baseRoles": [
              "Member",
            ],
            "entityType": null,
            "name": "Agronomist",
            "permissions": {
              "Field": [
                "read",
                "write",
              ],
            },
          },
        ],
      },
    }
  `);
  expect(validate({})).toEqual({ value: { roles: [], data: [] }, problems: [] });
  expect(
    validate({
      roles: [{ ...ROLE, entityType: 'Farm' }],
      data: [{ ...DATA, entityType: 'Farm', internalOnly: false, environmentKey: 'KEY' }],
    }).value,
  ).toEqual({
    roles: [{ ...ROLE, entityType: 'Farm' }],
    data: [{ ...DATA, entityType: 'Farm', internalOnly: false, environmentKey: 'KEY' }],
  });
});

test('a file that is not JSON has another code than one with an invalid value', () => {
  expect(problemsOf('{"roles": [}')).toMatchInlineSnapshot(`
    [
      "✗ roles-not-json ModuleSpecificRolesEntitiesDefinition/roles.json:1:12 | The text is not JSON. Something else is expected here: check the brackets, commas and quotes before it.",
    ]
  `);
  expect(problemsOf('[]')).toMatchInlineSnapshot(`
    [
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:1 (root) | The file must be an object; it is an array.",
    ]
  `);
});

test('a file with a repeated key is not JSON', () => {
  const result = validate('{"roles": [],\n "roles": []}');
  expect(result.value).toBeNull();
  expect(formatProblems(result.problems)).toMatchInlineSnapshot(`
    [
      "✗ roles-not-json ModuleSpecificRolesEntitiesDefinition/roles.json:2:2 /roles | The key "roles" is duplicated. Remove one of the two.",
    ]
  `);
});

test('name, baseRoles and permissions of a role, name and intention of data are required', () =>
  expect(problemsOf('{"roles": [{}], "data": [{}]}')).toMatchInlineSnapshot(`
    [
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:12 /roles/0/name | roles[0].name is missing.",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:12 /roles/0/baseRoles | roles[0].baseRoles is missing.",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:12 /roles/0/permissions | roles[0].permissions is missing.",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:26 /data/0/name | data[0].name is missing.",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:26 /data/0/intention | data[0].intention is missing.",
    ]
  `));

test('no other properties are allowed at any level', () => {
  expect(
    problemsOf({
      extra: 1,
      roles: [{ ...ROLE, permissions: { 'a-b': [] }, color: 'red' }],
      data: [{ ...DATA, constructor: 1 }],
    }),
  ).toMatchInlineSnapshot(`
    [
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:2 /extra | The property "extra" is not known here.",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:73 /roles/0/color | The property "color" is not known here.",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:63 /roles/0/permissions/a-b | The name "a-b" must be of the letters A to Z, in either case, and digits only.",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:125 /data/0/constructor | The property "constructor" is not known here.",
    ]
  `);
  expect(problemsOf('{"__proto__": {}}')).toMatchInlineSnapshot(`
    [
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:2 /__proto__ | The property "__proto__" is not known here.",
    ]
  `);
});

test('names of roles and environment keys are unique', () => {
  const keyed = { ...DATA, environmentKey: 'KEY' };
  expect(problemsOf({ roles: [ROLE, { ...ROLE, name: 'a' }, ROLE], data: [keyed, DATA, DATA, keyed] }))
    .toMatchInlineSnapshot(`
    [
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:109 /roles/2/name | The name "A" is duplicated in roles; each has its own.",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:310 /data/3/environmentKey | The environmentKey "KEY" is duplicated in data; each has its own.",
    ]
  `);
});

test('each member has its type', () => {
  expect(
    problemsOf({
      roles: [
        { name: 1, entityType: null, baseRoles: 'x', permissions: [] },
        { ...ROLE, baseRoles: [1], permissions: { A1: [true] } },
      ],
      data: [{ name: 1, entityType: 1, intention: {}, internalOnly: 'yes', environmentKey: null }],
    }),
  ).toMatchInlineSnapshot(`
    [
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:19 /roles/0/name | roles[0].name must be a string; it is 1.",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:34 /roles/0/entityType | roles[0].entityType must be a string; it is null.",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:51 /roles/0/baseRoles | roles[0].baseRoles must be an array; it is "x".",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:69 /roles/0/permissions | roles[0].permissions must be an object; it is an array.",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:98 /roles/1/baseRoles/0 | roles[1].baseRoles[0] must be a string; it is 1.",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:122 /roles/1/permissions/A1/0 | roles[1].permissions.A1[0] must be a string; it is true.",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:147 /data/0/name | data[0].name must be a string; it is 1.",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:162 /data/0/entityType | data[0].entityType must be a string; it is 1.",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:176 /data/0/intention | data[0].intention must be a string; it is an object.",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:194 /data/0/internalOnly | data[0].internalOnly must be true or false; it is "yes".",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:217 /data/0/environmentKey | data[0].environmentKey must be a string; it is null.",
    ]
  `);
  expect(problemsOf({ roles: {}, data: 'x' })).toMatchInlineSnapshot(`
    [
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:10 /roles | roles must be an array; it is an object.",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:20 /data | data must be an array; it is "x".",
    ]
  `);
  expect(problemsOf({ roles: [1], data: [null] })).toMatchInlineSnapshot(`
    [
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:11 /roles/0 | roles[0] must be an object; it is 1.",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:22 /data/0 | data[0] must be an object; it is null.",
    ]
  `);
});

test('names have at most 200 characters, texts 20,000', () => {
  const file = (name: number, text: number) => ({
    roles: [
      {
        name: 'n'.repeat(name),
        entityType: 'e'.repeat(name),
        baseRoles: ['b'.repeat(name)],
        permissions: { ['p'.repeat(200)]: ['v'.repeat(text)] },
      },
    ],
    data: [
      {
        name: 'n'.repeat(name),
        entityType: 'e'.repeat(name),
        intention: 'i'.repeat(text),
        environmentKey: 'k'.repeat(name),
      },
    ],
  });
  expect(problemsOf(file(200, 20_000))).toEqual([]);
  expect(validate(file(201, 20_001)).problems.map(({ code, pointer }) => [code, pointer])).toEqual([
    ['roles-invalid', '/roles/0/name'],
    ['roles-invalid', '/roles/0/entityType'],
    ['roles-invalid', '/roles/0/baseRoles/0'],
    ['roles-invalid', `/roles/0/permissions/${'p'.repeat(200)}/0`],
    ['roles-invalid', '/data/0/name'],
    ['roles-invalid', '/data/0/entityType'],
    ['roles-invalid', '/data/0/intention'],
    ['roles-invalid', '/data/0/environmentKey'],
  ]);
});

test('a key of more than 200 characters is reported alone, since a pointer cannot name anything below it', () =>
  expect(problemsOf({ roles: [{ ...ROLE, permissions: { ['p'.repeat(201)]: [1] } }], more: 1 }))
    .toMatchInlineSnapshot(`
      [
        "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:53 /roles/0/permissions | The key "pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp…" has more than 200 characters. Shorten it.",
      ]
    `));

test('no string contains NUL or a lone surrogate', () => {
  expect(problemsOf('{"data": [{"name": "a\\u0000b", "intention": "\\ud83d"}]}')).toMatchInlineSnapshot(`
    [
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:20 /data/0/name | data[0].name must be text without NUL characters and lone surrogates; it is "a\\u0000b".",
      "✗ roles-invalid ModuleSpecificRolesEntitiesDefinition/roles.json:1:45 /data/0/intention | data[0].intention must be text without NUL characters and lone surrogates; it is "\\ud83d".",
    ]
  `);
  expect(problemsOf('{"data": [{"name": "\\ud83d\\ude00", "intention": ""}]}')).toEqual([]);
});

test('an environmentKey that the module does not declare is a warning, at its place in the file', async () => {
  const keyed = (environmentKey: string) => ({ ...DATA, environmentKey });
  const roles = { data: [keyed('API_URL'), DATA, keyed('API_KEY'), keyed('api_url')] };
  const { problems } = await checkEntries(examplePackage({ [ENTRY]: jsonText(roles) }));
  expect(formatProblems(problems)).toMatchInlineSnapshot(`
    [
      "! roles-environment-key-unknown ModuleSpecificRolesEntitiesDefinition/roles.json /data/2/environmentKey | The module has no environment variable "API_KEY", which data[2] names.",
      "! roles-environment-key-unknown ModuleSpecificRolesEntitiesDefinition/roles.json /data/3/environmentKey | The module has no environment variable "api_url", which data[3] names.",
    ]
  `);
});
