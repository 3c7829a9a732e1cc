import type { TestApp, TestOrganization } from './test-app.ts';

/** An export as it was received. */
export interface ExportAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

export interface ExportCall {
  readonly method?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the organization's administrator. */
  readonly token?: string;
}

/** The path of a module's export. */
export function exportPath(organization: TestOrganization, moduleId: string, query = ''): string {
  return `/api/v8.0/${organization.id}/ExportModuleAsync/${moduleId}${query}`;
}

/** Exports a module; rejects when the answer breaks off. */
export async function exportModule(
  app: TestApp,
  organization: TestOrganization,
  moduleId: string,
  { method = 'GET', query = '', headers = {}, token = organization.admin }: ExportCall = {},
): Promise<ExportAnswer> {
  const response = await fetch(new URL(exportPath(organization, moduleId, query), app.url), {
    method,
    headers: { Authorization: token, ...headers },
  });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}
