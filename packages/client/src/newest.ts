/** Only the response to the newest of several concurrent requests counts: each request calls its own function to check. */
export function trackNewest(): () => () => boolean {
  let newest = 0;
  return () => {
    newest += 1;
    const own = newest;
    return () => own === newest;
  };
}
