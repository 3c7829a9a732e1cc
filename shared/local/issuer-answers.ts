import { pageShell } from '../package/text/html.ts';
import { ACCOUNTS } from './demonstration.ts';

const STYLE = `:root { color-scheme: light dark; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 30rem; margin: 0 auto; padding: 3rem 1.25rem; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; }
ul { list-style: none; padding: 0; margin: 1.5rem 0; }
a, button { display: block; margin: .75rem 0; padding: .9rem 1.1rem; border: 1px solid #8886; border-radius: .6rem;
  color: inherit; text-decoration: none; }
button { width: 100%; background: none; font: inherit; text-align: left; cursor: pointer; }
input { font: inherit; padding: .6rem .8rem; text-transform: uppercase; }
code { font-size: 1.25rem; letter-spacing: .1em; white-space: nowrap; }
a:hover, a:focus-visible, button:hover, button:focus-visible { border-color: light-dark(#22653a, #8fd0a5); outline: 2px solid light-dark(#22653a, #8fd0a5); }
strong { display: block; }
article { border-top: 1px solid #8886; margin-top: 2rem; }
h2 { font-size: 1.1rem; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
iframe { width: 100%; height: 22rem; border: 1px solid #8886; background: #fff; }`;

const NOT_STORED = { 'Cache-Control': 'no-store' };
const PAGE_HEADERS = {
  ...NOT_STORED,
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'X-Content-Type-Options': 'nosniff',
};

/** An answer of the issuer. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An answer in JSON. */
export function json(status: number, body: unknown): Answer {
  return {
    status,
    headers: { ...NOT_STORED, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  };
}

/** Sends the browser on. */
export function redirect({ href }: URL): Answer {
  return { status: 303, headers: { ...NOT_STORED, Location: href }, body: '' };
}

/** A page for people. Nothing of a request is in one, except for its parameters in addresses. */
export function page(status: number, title: string, body: string): Answer {
  const html = pageShell(title, `<style>${STYLE}</style>`, `<h1>${title}</h1>\n${body}`);
  return { status, headers: PAGE_HEADERS, body: html };
}

/** Says why a request is refused. */
export function refusal(status: number, why: string): Answer {
  return page(status, 'Not signed in', `<p>${why}</p>`);
}

/** The demonstration accounts, each in what signs in with it. */
function accountList(choice: (key: string, label: string) => string): string {
  const items = ACCOUNTS.map(
    ({ key, name, description }) => `<li>${choice(key, `<strong>${name}</strong>${description}`)}</li>`,
  );
  return `<ul>\n${items.join('\n')}\n</ul>`;
}

/** The demonstration accounts, each with a link to sign in. `query` is the authorization request. */
export function accountsPage(query: URLSearchParams): Answer {
  // Encoded, it has no other character that HTML reads.
  const request = query.toString().replaceAll('&', '&amp;');
  const list = accountList((key, label) => `<a href="/authorize?${request}&amp;account=${key}">${label}</a>`);
  return page(
    200,
    'Choose an account',
    `<p>The development issuer does not require a password.</p>\n${list}`,
  );
}

/** Asks for the code that a device shows; with 404 again, because another one was typed. */
export function codePage(status: 200 | 404): Answer {
  return page(
    status,
    'Enter the code',
    `${status === 404 ? '<p>This code is wrong or has expired.</p>\n' : ''}<form method="get" action="/device">
<p><label>The code that modulectl shows: <input name="user_code" autocomplete="off" autofocus required maxlength="20"></label></p>
<button>Continue</button>
</form>`,
  );
}

/** The demonstration accounts, each with a button that signs a device in. */
export function approvalPage(userCode: string): Answer {
  const list = accountList((key, label) => `<button name="account" value="${key}">${label}</button>`);
  return page(
    200,
    'Sign in modulectl',
    `<p>Continue only if modulectl shows this code: <code>${userCode}</code></p>
<form method="post" action="/device">
<input type="hidden" name="user_code" value="${userCode}">
${list}
</form>`,
  );
}
