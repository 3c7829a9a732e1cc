import { AddressRefusedError, requireCallable } from '../../../shared/outbound/outbound-url.ts';
import type { ApiContext } from '../../context.ts';
import { bodyProblem } from './json-body.ts';

/** Refuses an address in a body that the service must not call. @throws ProblemError 400 */
export function requireCallableAddress(
  { config }: Pick<ApiContext, 'config'>,
  pointer: string,
  address: string,
): void {
  try {
    requireCallable(address, config.outbound);
  } catch (error) {
    if (!(error instanceof AddressRefusedError)) throw error;
    const detail = `The address cannot be called: ${error.message}. Use an https address on the public internet.`;
    throw bodyProblem([{ pointer, detail }]);
  }
}
