#!/usr/bin/env node
// Prints an access token for calls with curl. The person signs in with a browser, on any machine (RFC 8628).
// usage: access-token.mjs https://modules.example.com
import process from 'node:process';

function fail(exitCode, text) {
  console.error(text);
  process.exit(exitCode);
}

const [server = ''] = process.argv.slice(2);
if (!/^https?:\/\/./.test(server)) fail(2, 'usage: access-token.mjs https://modules.example.com');
const form = (members) => ({ method: 'POST', body: new URLSearchParams(members) });

async function read(url, options) {
  try {
    const answer = await fetch(url, options);
    return { ok: answer.ok, body: await answer.json() };
  } catch (error) {
    return fail(1, `${url} does not answer as expected: ${error.cause?.message ?? error.message}`);
  }
}

const { body: resource } = await read(`${server}/.well-known/oauth-protected-resource`);
const [issuer] = resource.authorization_servers;
const { client_id, scope, request_parameters } = resource.modulectl ?? {};
if (client_id === undefined)
  fail(1, 'The server has no CLI_CLIENT_ID: set it and restart the API processes.');
const { body: metadata } = await read(
  // OpenID Connect Discovery, 4.1: without the slash at the end.
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
);
const asked = await read(
  metadata.device_authorization_endpoint,
  // No refresh token: this one is for a few calls.
  form({ ...request_parameters, client_id, scope: scope.replace('offline_access', '').trim() }),
);
if (!asked.ok) fail(1, `The issuer refuses: ${asked.body.error_description ?? asked.body.error}`);
const { device_code, interval = 5, user_code, verification_uri, verification_uri_complete } = asked.body;
console.error(
  `Open ${verification_uri_complete ?? verification_uri} and compare or enter the code ${user_code}`,
);
for (let waitSeconds = interval; ;) {
  await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1_000));
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
  const { ok, body } = await read(metadata.token_endpoint, form({ grant_type, device_code, client_id }));
  if (ok) {
    console.log(body.access_token);
    break;
  }
  if (body.error === 'slow_down') waitSeconds += 5;
  else if (body.error !== 'authorization_pending')
    fail(1, `The issuer refuses: ${body.error_description ?? body.error}`);
}
