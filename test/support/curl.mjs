// The subset of curl that the README uses, for machines that have only Node: -H, -X, -d, -F name=@file, -i, -o, -s and -S.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    request: { type: 'string', short: 'X' },
    data: { type: 'string', short: 'd' },
    form: { type: 'string', short: 'F' },
    include: { type: 'boolean', short: 'i' },
    output: { type: 'string', short: 'o' },
    silent: { type: 'boolean', short: 's' },
    'show-error': { type: 'boolean', short: 'S' },
  },
});

const headers = new Headers();
if (values.data !== undefined) headers.set('Content-Type', 'application/x-www-form-urlencoded');
for (const header of values.header) {
  const [, name, value] = /^([^:]+): *(.*)$/.exec(header);
  headers.set(name, value);
}

let body = values.data;
if (values.form !== undefined) {
  const [, field, file] = /^(\w+)=@(.+)$/.exec(values.form);
  body = new FormData();
  body.set(field, new Blob([await readFile(file)]), path.basename(file));
}

const method = values.request ?? (body === undefined ? 'GET' : 'POST');
const response = await fetch(positionals[0], { method, headers, body });
const bytes = Buffer.from(await response.arrayBuffer());
if (values.include) {
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`);
  process.stdout.write(`HTTP/1.1 ${response.status} ${response.statusText}\r\n${lines.join('')}\r\n`);
}
if (values.output === undefined) process.stdout.write(bytes);
else await writeFile(values.output, bytes);
