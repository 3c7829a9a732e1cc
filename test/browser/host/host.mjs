import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const { SERVICE, APPLICATIONS, ORGANIZATION: organizationId, ACCESS_TOKEN: accessToken } = process.env;

createServer(async ({ url }, response) => {
  const send = (type, body) => response.setHeader('Content-Type', type).end(body);
  const json = (body) => send('application/json', JSON.stringify(body));
  if (url === '/session') return json({ organizationId, accessToken });
  if (url.startsWith('/farmer/')) return json({ organizationId, language: 'en', token: null });
  const page = await readFile(new URL('host.html', import.meta.url), 'utf8');
  const addressed = page.replace('https://modules.example.com', SERVICE);
  send('text/html', addressed.replace('https://*.apps.example.com', APPLICATIONS));
}).listen(3000, 'localhost', () => console.log('Open http://farm.modules.localhost:3000'));
