/** Of several requests under way, only the response to the newest counts: each request asks its own function whether it is that one. */
export function trackNewest(): () => () => boolean {
  let newest = 0;
  return () => {
    newest += 1;
    const own = newest;
    return () => own === newest;
  };
}
