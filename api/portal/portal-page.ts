import type { PageEntry } from './built-assets.ts';

/** The only page of the portal; its script renders the content. */
export function portalPage({ script, styles }: PageEntry): string {
  const links = styles.map((name) => `<link rel="stylesheet" href="/portal/assets/${name}">`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Module portal</title>
<link rel="icon" href="data:,">
${links.join('\n')}
<script type="module" src="/portal/assets/${script}"></script>
</head>
<body>
<div id="portal"></div>
<noscript>The portal needs JavaScript.</noscript>
</body>
</html>
`;
}

/**
 * The Content-Security-Policy of the page. Its only frames are the applications of modules, from their own origin. Scripts and styles load only from the assets, never from the paths that
 * serve a vendor's files; the stylesheet's icons are `data:` images, which cannot run anything.
 */
export function pagePolicy(origin: string, applicationOrigin: string | null): string {
  const at = (...paths: readonly string[]) => paths.map((each) => `${origin}/portal/${each}`).join(' ');
  return [
    "default-src 'none'",
    `script-src ${at('assets/')}`,
    `style-src ${at('assets/')}`,
    `img-src ${at('assets/', 'media/')} data:`,
    `connect-src ${at('api/', 'media/', 'session')}`,
    `frame-src ${applicationOrigin ?? "'none'"}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
