/**
 * The options of Node with which each process of the service starts. The image and the systemd units repeat them.
 *
 * The bytes of requests and packages make V8 collect its heap often. With one helper thread instead of four, V8 leaves the other
 * cores to the requests. With 32 MiB of room for new objects instead of 16, requests that wait seldom move to the old generation,
 * whose collection takes longest.
 */
export const NODE_OPTIONS: readonly string[] = ['--v8-pool-size=1', '--max-semi-space-size=32'];
