import type { Answer } from './test-app.ts';

/** An answer that is in no document, such as a worker's, with its body. */
export async function answerOf(pending: Promise<Response>): Promise<Answer> {
  const response = await pending;
  const text = await response.text();
  const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '') && text !== '';
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? (JSON.parse(text) as unknown) : {},
  };
}
