/** Lets this process import TypeScript: the one that runs Jest, and each of its workers. */
import { register } from 'node:module';

process.setSourceMapsEnabled(true);
register('./typescript-loader.mjs', import.meta.url);
