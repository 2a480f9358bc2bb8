/** Waits for a turn of the event loop that only so many share, so that whatever else is to be done comes between two of them. */
export function createTurns(inATurn = 1): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const serve = (): void => {
    for (const go of waiting.splice(0, inATurn)) go();
    if (waiting.length > 0) setImmediate(serve);
  };
  return () =>
    new Promise((go) => {
      if (waiting.push(go) === 1) setImmediate(serve);
    });
}
