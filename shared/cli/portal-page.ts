import type { Output } from './output.ts';
import type { VendorSession } from './server.ts';

const WAIT_MS = 5_000;

/** Says where the portal shows what a command made or changed; nothing where the server has no portal. */
export async function sayPage(
  { server, orgId }: Pick<VendorSession, 'server' | 'orgId'>,
  page: string,
  output: Output,
): Promise<void> {
  // The start page leads to the portal where there is one. The command has succeeded, whatever is answered here.
  const start = await fetch(`${server}/`, { redirect: 'manual', signal: AbortSignal.timeout(WAIT_MS) }).catch(
    () => null,
  );
  await start?.body?.cancel();
  if (start?.headers.get('location')?.endsWith('/portal') === true)
    output.say(`See ${server}/portal/${orgId}/${page}`);
}
