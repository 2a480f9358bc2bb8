/** The project's folder. This file lies two levels below it as a source, compiled, and as a part of a bundle in `dist/run`; others need not know where they are. */
export const ROOT = new URL('../../', import.meta.url);
