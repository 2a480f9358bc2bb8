import { useEffect, useState } from 'preact/hooks';

/** The result of `read`, which `queue` starts again when an input changes; if it fails, the last result stays. */
export function useLoaded<Result>(
  read: () => Promise<Result>,
  inputs: unknown[],
  queue: (load: () => Promise<void>) => Promise<void> = (load) => load(),
): Result | undefined {
  const [result, setResult] = useState<Result>();
  useEffect(() => {
    let isCurrent = true;
    const load = async (): Promise<void> => {
      if (!isCurrent) return;
      const found = await read();
      if (isCurrent) setResult(() => found);
    };
    queue(load).catch(() => undefined);
    return () => void (isCurrent = false);
  }, inputs);
  return result;
}
