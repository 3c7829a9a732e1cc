import type { components, paths } from '../../../../shared/client/openapi-types.ts';

/** The shapes of the API's document. */
export type Schemas = components['schemas'];

export type ModuleImport = Schemas['Import'];

/** An import as operators see it. */
export type OperatorImport = Schemas['OperatorImport'];

/** What is wrong with a package or a request. */
export type Issue = ModuleImport['errors'][number];

export type AlertCriterion = Schemas['AlertRuleDefinitions']['criterias'][string];

export type AlertPart = AlertCriterion['parts'][string];

/** Turns `/{orgId}/imports` into the type of `/${orgId}/imports`. */
type Filled<Path> = Path extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${Filled<After>}`
  : Path;

type WithoutQuery<Address> = Address extends `${infer Path}?${string}` ? Path : Address;

/** The operations at an address: those of the path that has the same type, once its parameters are filled in. */
type OperationsAt<Address> = {
  [Path in keyof paths]: Path extends `/api/v8.0${infer Rest}`
    ? [Filled<Rest>, Address] extends [Address, Filled<Rest>]
      ? paths[Path]
      : never
    : never;
}[keyof paths];

type Operation<Method extends string, Address> = OperationsAt<WithoutQuery<Address>>[Lowercase<Method> &
  keyof OperationsAt<WithoutQuery<Address>>];

type Json<Message> = Message extends { content: { 'application/json': infer Body } } ? Body : undefined;

/** The body of a call's request. */
export type RequestBody<Method extends string, Address> =
  Operation<Method, Address> extends { requestBody?: infer Message } ? Json<Message> : undefined;

/** The body of a call's answer when it succeeds. */
export type Answer<Method extends string, Address> =
  Operation<Method, Address> extends { responses: infer Responses }
    ? Json<Responses[keyof Responses & (200 | 201 | 202 | 204)]>
    : never;

/** An item of the list at an address. */
export type ItemAt<Address> = Answer<'GET', Address> extends { items: (infer Item)[] } ? Item : never;
