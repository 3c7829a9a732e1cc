/** The number of characters that a name may have. */
export const MAX_NAME = 200;

/** A name with the first of its characters; one of two UTF-16 units stays whole. */
export const shortened = (name: string, most = MAX_NAME) => Array.from(name).slice(0, most).join('');
