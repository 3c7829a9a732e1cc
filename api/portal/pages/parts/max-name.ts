/** The number of characters that a name may have. */
export const MAX_NAME = 200;
