import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** A call, as far as this check reads it. */
interface PackageCheckCall {
  readonly data: {
    readonly importId: string;
    readonly organizationId: string;
    readonly files: readonly { readonly path: string; readonly sizeBytes: number; readonly sha256: string }[];
  };
}

interface FoundProblem {
  readonly code: `operator-${string}`;
  readonly detail: string;
  readonly severity: 'error' | 'warning';
  readonly entry?: string;
}

const FORBIDDEN: ReadonlySet<string> = new Set(process.env['FORBIDDEN_SHA256']?.split(','));
const MAX_BYTES = 50_000_000;

/** Refuses files by their content, and warns of large ones. */
function problemsOf({ data }: PackageCheckCall): readonly FoundProblem[] {
  return data.files.flatMap(({ path: entry, sizeBytes, sha256 }): FoundProblem[] => {
    if (FORBIDDEN.has(sha256)) {
      const detail = 'This file may not be published here. Remove it.';
      return [{ code: 'operator-file-forbidden', severity: 'error', detail, entry }];
    }
    if (sizeBytes <= MAX_BYTES) return [];
    const detail = 'Farmers wait long for so large a file. Make it smaller.';
    return [{ code: 'operator-file-large', severity: 'warning', detail, entry }];
  });
}

const webhook = new Webhook(process.env['PACKAGE_CHECK_SECRET'] ?? '');

/** Verifies the signature of each call, and answers with the problems of its package. */
export const server = createServer((request, response) => {
  void text(request).then((body) => {
    try {
      const call = webhook.verify(body, request.headers as Record<string, string>) as PackageCheckCall;
      const answer = JSON.stringify({ problems: problemsOf(call).slice(0, 100) });
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(answer);
    } catch {
      response.writeHead(401).end();
    }
  });
}).listen(Number(process.env['PORT'] ?? 0));
