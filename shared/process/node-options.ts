/**
 * The options of Node with which each process of the service starts. The image and the systemd units repeat them.
 *
 * The bytes of requests and packages count for V8 as growth of its heap, and by default it collects the whole heap after a
 * growth of about 12 MB. With these options it does so after the heap has doubled (`--heap-growing-percent`), with one helper thread
 * instead of four, which leaves the other cores to the requests (`--v8-pool-size`). New objects have 16 MiB of room, as by default on
 * Node 20; the 32 MiB of Node 24 cost 45 MB of resident memory during a large upload (`--max-semi-space-size`).
 */
export const NODE_OPTIONS: readonly string[] = [
  '--v8-pool-size=1',
  '--max-semi-space-size=16',
  '--heap-growing-percent=100',
];
