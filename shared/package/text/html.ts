/** Escapes text for HTML, also for attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A page for people. `style` and `body` are HTML. */
export function pageShell(title: string, style: string, body: string, language = 'en'): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
${style}
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}
