import { programOf } from './parts.ts';
import { startPart } from './process.ts';
import type { PartProcess } from './process.ts';

/** Starts an empty Redis that keeps nothing on disk; `settings` are its own, such as `--requirepass`. */
export function startRedis(port: number, settings: readonly string[] = []): Promise<PartProcess> {
  const args = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    ...settings,
  ];
  return startPart(programOf('Redis'), args, port);
}
