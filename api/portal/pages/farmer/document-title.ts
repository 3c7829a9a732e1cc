/** A longer line is a sentence rather than a title. */
const MAX_TITLE = 100;

/** The title of a text or Markdown document: its first heading, else a first line that stands alone; null: it has none. */
export function documentTitle(text: string): string | null {
  const lines = text.split('\n').map((line) => line.trim());
  const first = lines.findIndex((line) => line !== '');
  const isAlone = /^(?:=*|-*)$/.test(lines[first + 1] ?? '');
  const heading = lines.find((line) => /^#{1,6}\s/.test(line));
  const title = plain(heading ?? (isAlone ? lines[first] : null) ?? '');
  return title === '' || title.length > MAX_TITLE ? null : title;
}

/** Without the marks of headings, emphasis and code. */
function plain(markdown: string): string {
  return markdown.replaceAll(/[#*_`]/g, '').trim();
}
