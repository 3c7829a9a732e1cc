import { Forwarder } from '../../../support/hosts/forwarder.ts';
import { CENTRE } from '../../../support/hosts/own-network.ts';
import { VirtualHost } from '../../../support/hosts/virtual-host.ts';
import type { StackSettings } from '../fault.ts';
import { WireProxy } from './wire-proxy.ts';

/** The settings that connect to a part. */
const PART_SETTINGS = ['DATABASE_URL', 'REDIS_URL', 'S3_ENDPOINT'] as const;

/** Makes the hosts and connects them to the parts; null where none are wanted. */
export async function openNetwork(
  { isOnHosts = false }: StackSettings,
  environment: Readonly<Record<string, string>>,
  count: number,
) {
  if (!isOnHosts) return null;
  const hosts = await Promise.all(Array.from({ length: count }, (_, index) => VirtualHost.start(index)));
  const settings: Record<string, string> = {};
  const forwarders: Forwarder[] = [];
  for (const name of PART_SETTINGS) {
    const setting = environment[name];
    if (setting === undefined) continue;
    const address = new URL(setting);
    forwarders.push(await Forwarder.open({ port: Number(address.port) }));
    address.hostname = CENTRE;
    settings[name] = name === 'S3_ENDPOINT' ? address.origin : address.href;
  }
  return {
    hosts,
    settings,
    async stop() {
      for (const forwarder of forwarders) forwarder.close();
      await Promise.all(hosts.map((host) => host.stop()));
    },
  };
}

/** Routes a worker's connections through proxies of its own. */
export async function watch(environment: Readonly<Record<string, string>>) {
  const database = new URL(environment['DATABASE_URL'] ?? '');
  const storage = new URL(environment['S3_ENDPOINT'] ?? '');
  const wires = await Promise.all([database, storage].map((address) => WireProxy.open(Number(address.port))));
  [database, storage].forEach((address, index) => (address.port = String(wires[index]?.port ?? 0)));
  return { wires, settings: { DATABASE_URL: database.href, S3_ENDPOINT: storage.origin } };
}
