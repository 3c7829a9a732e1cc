import { once } from 'node:events';
import { Redis } from 'ioredis';
import type { Config } from '../shared/config.ts';
import { openContext } from '../shared/context.ts';
import { NotificationListener } from '../shared/db/notification-listener.ts';
import { API_KEYS_CHANNEL, IMPORTS_CHANNEL } from '../shared/db/notifications.ts';
import { StructureReader } from '../shared/db/read-structures.ts';
import { SettingsError } from '../shared/settings-reader.ts';
import type { ApiContext } from './api-context.ts';
import { AccessTokens } from './auth/access-token.ts';
import { Access } from './auth/access.ts';
import { ApiKeys } from './auth/api-key.ts';
import { ImportWaiter } from './import-waiter.ts';
import { StreamSlots } from './stream-slots.ts';

const REDIS_READY_MS = 5_000;

/** The API's context, and the switch that turns readiness off. */
export interface OpenApi {
  readonly api: ApiContext;
  stopping(): void;
}

/** Opens what the API works with. @throws SettingsError where a part is not named. */
export async function openApiContext(config: Config): Promise<OpenApi> {
  const { issuer } = config.auth;
  if (issuer === null)
    throw new SettingsError(['AUTH_ISSUER must be set (npm start runs a development issuer)']);
  const context = await openContext('api', config);
  const listener = new NotificationListener(
    config.database.listenUrl ?? context.queuePlace.databaseUrl,
    context.log,
    [IMPORTS_CHANNEL, API_KEYS_CHANNEL],
  );
  await listener.start();
  const structures = new StructureReader(context.queuePlace.databaseUrl, context.log);
  const apiKeys = new ApiKeys(context.database, listener, context.log);
  const waiter = new ImportWaiter(context.database, listener, context.log);
  const redis =
    config.redisUrl === null
      ? null
      : new Redis(config.redisUrl, { maxRetriesPerRequest: 1, enableOfflineQueue: false });
  redis?.on('error', (error: Error) => {
    context.log.warn({ err: error }, 'redis connection failed');
  });
  // Before the connection stands each process would count for itself. While Redis is away it starts all the same.
  if (redis !== null)
    await once(redis, 'ready', { signal: AbortSignal.timeout(REDIS_READY_MS) }).catch(() => undefined);
  let isStopping = false;
  const api: ApiContext = {
    ...context,
    access: new Access(new AccessTokens({ ...config.auth, issuer }), context.database),
    apiKeys,
    waiter,
    structures,
    streamSlots: new StreamSlots('a key', 'Wait for one to end, or ask for less with limit.'),
    exportSlots: new StreamSlots('an organization', 'Wait for one to end.'),
    redis,
    isStopping: () => isStopping,
    async close() {
      waiter.close();
      await apiKeys.close();
      redis?.disconnect();
      await listener.close();
      await structures.close();
      await context.close();
    },
  };
  return {
    api,
    stopping: () => {
      isStopping = true;
    },
  };
}
