/**
 * Runs in each document before its scripts. Chance comes from the seed. What a page says for a moment is gone before anybody can look: a test asserts
 * what stays. In a slow run, answers come late.
 */
export function prepareDocument({
  seed,
  moments,
  slowestMs,
}: {
  seed: number;
  moments: number[];
  slowestMs: number;
}): void {
  let state = seed;
  try {
    // Documents of a tab draw different numbers.
    const count = Number(sessionStorage.getItem('test-documents')) + 1;
    sessionStorage.setItem('test-documents', String(count));
    state = Math.imul(seed ^ count, 0x9e3779b1);
  } catch {
    // Frames without an origin have no storage.
  }
  const draw = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  Math.random = () => draw() / 2 ** 32;
  crypto.getRandomValues = (view) => {
    const { buffer, byteOffset, byteLength } = view as unknown as Uint8Array;
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    bytes.forEach((_, at) => (bytes[at] = draw()));
    return view;
  };
  const { setTimeout: start, fetch: ask } = globalThis;
  globalThis.setTimeout = ((work: () => void, ms?: number, ...rest: []) => {
    if (!moments.includes(ms!)) return start(work, ms, ...rest);
    queueMicrotask(work);
    return 0;
  }) as typeof setTimeout;
  if (slowestMs === 0) return;
  globalThis.fetch = async (...call) => {
    const answer = await ask(...call);
    if (draw() % 4 === 0) await new Promise((done) => start(done, (draw() / 2 ** 32) * slowestMs));
    return answer;
  };
}
