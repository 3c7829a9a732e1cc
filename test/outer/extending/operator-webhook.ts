import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** An event, as far as this receiver reads it. */
interface OperatorEvent {
  readonly type: string;
  readonly data: {
    readonly id: string;
    readonly organizationId: string;
    readonly moduleId: string | null;
    readonly importId?: string;
    readonly status?: string;
  };
}

/** What an event means for the people on call; null: nothing. */
function messageOf({ type, data }: OperatorEvent): string | null {
  const { organizationId, moduleId, importId, status } = data;
  if (type === 'import.ended' && status === 'failed')
    return `import ${String(importId)} of ${organizationId} failed`;
  if (type === 'module.quarantined')
    return `module ${String(moduleId)} of ${organizationId} is in quarantine`;
  return null;
}

/** The events that were received: each may come twice, and has the same ID then. */
const received = new Set<string>();

/** What was reported. */
export const messages: string[] = [];

const webhook = new Webhook(process.env['WEBHOOK_SECRET'] ?? '');

/** Verifies the signature of each call, and reports what people must know. */
export const server = createServer((request, response) => {
  void text(request).then((body) => {
    try {
      const event = webhook.verify(body, request.headers as Record<string, string>) as OperatorEvent;
      const message = received.has(event.data.id) ? null : messageOf(event);
      received.add(event.data.id);
      if (message !== null) messages.push(message);
      response.writeHead(204).end();
    } catch {
      response.writeHead(401).end();
    }
  });
}).listen(Number(process.env['PORT'] ?? 0));
