import { packageForm } from './package-form.ts';
import type { Answer, TestApp, TestOrganization } from './test-app.ts';

export interface SlowUpload {
  readonly answer: Promise<Answer>;
  /** Sends the rest of the body. */
  finish(): void;
}

/** An upload of a package whose body ends when `finish` is called. */
export function slowUpload(
  app: TestApp,
  vendor: TestOrganization,
  zip: Buffer,
  headers: Readonly<Record<string, string>> = { Authorization: vendor.admin },
): SlowUpload {
  const form = new Response(packageForm(zip));
  let finish: () => void = () => undefined;
  const isFinished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const bytes = new Uint8Array(await form.arrayBuffer());
      controller.enqueue(bytes.subarray(0, 400));
      await isFinished;
      controller.enqueue(bytes.subarray(400));
      controller.close();
    },
  });
  const type = { 'Content-Type': form.headers.get('content-type') ?? '', Prefer: 'respond-async' };
  // A browser calls through the portal.
  const root = 'Cookie' in headers ? '/portal/api' : '/api/v8.0';
  const answer = app.fetch(`${root}/${vendor.id}/ImportModuleAsync`, {
    ...{ method: 'POST', headers: { ...headers, ...type }, body },
    duplex: 'half',
  });
  return { answer, finish };
}
