/**
 * The options of Node with which each process of the service starts. The image and the systemd units repeat them.
 *
 * The bytes of requests and packages count for V8 as growth of its heap, and by default it collects the whole heap after a
 * growth of about 12 MB. With these options it does so after the heap has doubled (`--heap-growing-percent`), with one helper thread
 * instead of four, which leaves the other cores to the requests (`--v8-pool-size`), and with 32 MiB of room for new objects
 * instead of 16, so that requests that wait seldom move to the old generation (`--max-semi-space-size`).
 */
export const NODE_OPTIONS: readonly string[] = [
  '--v8-pool-size=1',
  '--max-semi-space-size=32',
  '--heap-growing-percent=100',
];
