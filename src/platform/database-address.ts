/** Splits an address that names several servers as libpq does: `postgresql://user@one:5432,two:5432/name`. */
export function splitAddress(url: string): string[] {
  const [, start, hosts, rest] = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/s.exec(url) ?? [];
  return hosts === undefined
    ? [url]
    : hosts.split(',').map((host) => `${start}${host}${withoutChoice(rest!)}`);
}

/** Removes `target_session_attrs`, which node-postgres does not know: wishgate always looks for the writable server anyway. */
const withoutChoice = (rest: string): string =>
  rest.replace(
    /([?&])target_session_attrs=(read-write|primary)(&|$)/,
    (_all, before: string, _is, after: string) => (after === '&' ? before : ''),
  );
