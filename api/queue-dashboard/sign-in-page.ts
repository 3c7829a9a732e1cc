import { escapeHtml, htmlPage } from '../http/html.ts';

/** The page where an operator gives an access token; `refusal` tells why the last one was not taken. */
export function signInPage(refusal: string | null): string {
  const told = refusal === null ? '' : `<p class="refused" role="alert">${escapeHtml(refusal)}</p>`;
  return htmlPage(
    'Sign in to the queues',
    '/problems/style.css',
    `<h1>Queues</h1>
${told}
<form method="post" action="/queues/sign-in" autocomplete="off">
<label for="token">Access token of an operator</label>
<textarea id="token" name="token" required spellcheck="false"></textarea>
<button type="submit">Sign in</button>
</form>
<p>On the local stack: <code>npm run --silent token -- --operator</code></p>`,
  );
}
