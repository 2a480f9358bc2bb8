// Lets the process that imports this file import TypeScript: Jest, its workers, and what they start from the sources.
import { register } from 'node:module';

process.setSourceMapsEnabled(true);
register('./typescript-loader.mjs', import.meta.url);
