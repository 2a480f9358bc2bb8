/** The project's folder. This file is two levels below it as a source, compiled, and in a bundle in `dist/run`. */
export const ROOT = new URL('../../', import.meta.url);
