import type { Account } from './demonstration.ts';

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
strong { display: block; }`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (each) => ENTITIES[each] ?? each);
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
}

/** The demonstration accounts, each with a link to sign in. `query` is the authorization request. */
export function accountsPage(accounts: readonly Account[], query: URLSearchParams): string {
  const items = accounts.map(({ key, name, description }) => {
    const selected = new URLSearchParams(query);
    selected.set('account', key);
    const href = escapeHtml(`/authorize?${selected.toString()}`);
    return `<li><a href="${href}"><strong>${escapeHtml(name)}</strong>${escapeHtml(description)}</a></li>`;
  });
  return page(
    'Choose an account',
    `<p>The development issuer does not require a password.</p>\n<ul>\n${items.join('\n')}\n</ul>`,
  );
}

/** Asks for the code that a device shows; `wrong` is one that was typed and is not known. */
export function codePage(wrong: string | null): string {
  const not = wrong === null ? '' : `<p>The code ${escapeHtml(wrong)} is wrong or has expired.</p>\n`;
  return page(
    'Enter the code',
    `${not}<form method="get" action="/device">
<p><label>The code that modulectl shows: <input name="user_code" autocomplete="off" autofocus required maxlength="20"></label></p>
<button>Continue</button>
</form>`,
  );
}

/** The demonstration accounts, each with a button that signs a device in. */
export function approvalPage(accounts: readonly Account[], userCode: string): string {
  const buttons = accounts.map(
    ({ key, name, description }) =>
      `<li><button name="account" value="${escapeHtml(key)}"><strong>${escapeHtml(name)}</strong>${escapeHtml(description)}</button></li>`,
  );
  return page(
    'Sign in modulectl',
    `<p>Continue only if modulectl shows this code: <code>${escapeHtml(userCode)}</code></p>
<form method="post" action="/device">
<input type="hidden" name="user_code" value="${escapeHtml(userCode)}">
<ul>
${buttons.join('\n')}
</ul>
</form>`,
  );
}

/** Shows that a device is signed in. */
export function approvedPage({ name }: Account): string {
  return page('Signed in', `<p>modulectl is signed in as ${escapeHtml(name)}. You can close this page.</p>`);
}

/** Shows why a request is refused. */
export function refusalPage(why: string): string {
  return page('Not signed in', `<p>${escapeHtml(why)}</p>`);
}

/** Shows that a sign-in has ended. */
export function signedOutPage(): string {
  return page('Signed out', '<p>You are signed out. You can close this page.</p>');
}
