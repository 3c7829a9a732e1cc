import { networkProblem, shownAddress } from '../process/network-problem.ts';
import { PartProblem } from '../process/part-problem.ts';

const SETTING = 'REDIS_URL';

/** Refusals of Redis, by the first words of its answer. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/^(?:WRONGPASS|NOAUTH)|invalid (?:password|username)/i, `Correct user and password in ${SETTING}.`],
  [
    /^NOPERM/,
    'Grant it: ACL SETUSER <user> ~* &* +@all -@dangerous +info +client. Narrower: the keys bull:*, and those of rate limits.',
  ],
  [/^OOM/, 'Its memory is full: raise maxmemory.'],
  [/^MISCONF/, 'It cannot write to its disk: free space, and look at its log.'],
  [/^READONLY/, `Let ${SETTING} lead to the primary.`],
  [/^LOADING/, 'Wait until it has loaded its data.'],
  [/MOVED|CROSSSLOT|cluster/i, 'Use a single server, not Redis Cluster.'],
];

/** Explains an error of Redis to an operator. */
export function redisProblem(error: unknown, url: string): PartProblem {
  const address = shownAddress(url);
  const network = networkProblem(error, { address, setting: SETTING });
  if (network !== null) return network;
  const text = error instanceof Error ? error.message : String(error);
  const advice = ADVICE.find(([pattern]) => pattern.test(text))?.[1] ?? null;
  return new PartProblem({ problem: `${address}: ${text}.`.replace(/\.\.$/, '.'), advice }, error);
}
