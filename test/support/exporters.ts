import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import https from 'node:https';
import path from 'node:path';
import { expect, inject, onTestFinished } from 'vitest';
import { freePort, portOf } from '../../shared/local/free-port.ts';
import { makeCertificate } from './certificates.ts';

/** Starts an exporter of Debian, behind a prefix of its command, until the test ends; returns its origin. */
async function startExporter(
  program: string,
  args: readonly string[],
  prefix: readonly string[] = [],
): Promise<string> {
  const port = await freePort();
  const [command = '', ...rest] = [...prefix, program, `--web.listen-address=127.0.0.1:${port}`, ...args];
  const child = spawn(command, rest, { stdio: 'ignore' });
  const closed = once(child, 'close');
  onTestFinished(async () => {
    // unshare ignores SIGTERM.
    child.kill('SIGKILL');
    await closed;
  });
  const origin = `http://127.0.0.1:${port}`;
  await expect.poll(() => fetch(origin).then(({ status }) => status, String)).toBe(200);
  return origin;
}

/**
 * The metrics that node_exporter reads of the disks that a program with this prefix sees, and of a file that the backup
 * has written.
 */
export async function scrapeNodeExporter(
  program: string,
  lastBackup: Date,
  prefix: readonly string[] = [],
): Promise<string> {
  const folder = path.join(inject('scratch'), randomUUID());
  await mkdir(folder, { recursive: true });
  const line = `module_import_last_backup_timestamp_seconds ${Math.floor(lastBackup.getTime() / 1_000)}\n`;
  await writeFile(path.join(folder, 'module-import.prom'), line);
  const collectors = ['disable-defaults', 'filesystem', 'textfile', `textfile.directory=${folder}`];
  const origin = await startExporter(
    program,
    collectors.map((each) => `--collector.${each}`),
    prefix,
  );
  return (await fetch(`${origin}/metrics`)).text();
}

/** The metrics of a probe of blackbox_exporter, of a TLS server whose certificate is valid for so many days. */
export async function scrapeBlackboxExporter(program: string, days: number): Promise<string> {
  const folder = path.join(inject('scratch'), randomUUID());
  const { key, cert, authorityFile } = await makeCertificate(folder, days);
  const server = https.createServer({ key, cert }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const configuration = path.join(folder, 'blackbox.yml');
  const tls = { prober: 'tcp', tcp: { tls: true, tls_config: { ca_file: authorityFile } } };
  await writeFile(configuration, JSON.stringify({ modules: { tls } }));
  const origin = await startExporter(program, [`--config.file=${configuration}`]);
  return (await fetch(`${origin}/probe?module=tls&target=127.0.0.1:${portOf(server)}`)).text();
}
