import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { exists } from './embedded-system.ts';

/** Where the files of the bundled database really are. */
export type Place = {
  dir: string;
  /** Whether a copy of the data folder lacks them. */
  isOutside: boolean;
  /** What an operator must mend before there is data to lose, in one sentence. */
  warning: string | null;
};

/** What the kernel says of the file systems here; tests describe others. */
export type Surroundings = { isContainer: boolean; mountinfo: string };

/** Finds out what an operator must know about where the database of a data folder lies; both are real paths. */
export async function describePlace(dataDir: string, dir: string, around?: Surroundings): Promise<Place> {
  const isOutside = relative(dataDir, dir).startsWith('..');
  if (!isOutside) return { dir, isOutside, warning: null };
  const { isContainer, mountinfo } = around ?? (await lookAround());
  // What lies on the root of a container is its own; whoever mounted a volume for the data meant to keep it.
  const isLost = isContainer && mountOf(mountinfo, dir) === '/' && mountOf(mountinfo, dataDir) !== '/';
  return { dir, isOutside, warning: isLost ? lossOf(dataDir, dir) : null };
}

function lossOf(dataDir: string, dir: string): string {
  return (
    `The database is lost with this container: it is in ${dir} and not on the volume of DATA_DIR, because the user postgres ` +
    `cannot enter ${dataDir}; let it (chmod o+x on that folder and those above it) or set another DATA_DIR, and move the database there`
  );
}

/** The mount point that a path lies on. Its blanks are written as octal numbers there. */
function mountOf(mountinfo: string, path: string): string {
  const points = mountinfo
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '/')
    .map((point) => point.replace(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8))));
  const above = points.filter((point) => `${path}/`.startsWith(point.replace(/\/?$/, '/')));
  return above.reduce((best, point) => (point.length > best.length ? point : best), '/');
}

/** Docker and Podman leave a mark; other containers show by a root that is laid over an image. */
async function lookAround(): Promise<Surroundings> {
  const mountinfo = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  const isLaidOver = / \/ \/ .* - (overlay|fuse-overlayfs|aufs) /.test(mountinfo);
  const isMarked = (await exists('/.dockerenv')) || (await exists('/run/.containerenv'));
  return { isContainer: isMarked || isLaidOver, mountinfo };
}
