/** At most `inATurn` callers continue per turn of the event loop, in order of arrival, so that other work runs in between. */
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
