/** Lets at most `inATurn` callers go on in one turn of the event loop, in the order in which they came, so that other work is done between two turns. */
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
