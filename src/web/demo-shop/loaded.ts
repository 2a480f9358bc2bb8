import { useEffect, useState } from 'preact/hooks';

/** The result of `read`, which runs again when an input changes; if that fails, the last result stays. */
export function useLoaded<Result>(read: () => Promise<Result>, inputs: unknown[]): Result | undefined {
  const [result, setResult] = useState<Result>();
  useEffect(() => {
    let isCurrent = true;
    read().then(
      (found) => isCurrent && setResult(found),
      () => undefined,
    );
    return () => void (isCurrent = false);
  }, inputs);
  return result;
}
