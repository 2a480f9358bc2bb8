import { fileURLToPath } from 'node:url';

/** A program of the service as it is shipped; the global setup builds it, which costs nothing when it is current. */
export function program(
  entry:
    | 'main'
    | 'cli/store'
    | 'cli/operator'
    | 'cli/import'
    | 'cli/worker'
    | 'cli/backup'
    | 'cli/restore'
    | 'cli/upgrade',
): string {
  return fileURLToPath(new URL(`../dist/${entry}.js`, import.meta.url));
}
