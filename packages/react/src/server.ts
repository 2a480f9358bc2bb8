import type { FetchLike, List } from '@wishgate/client';
import { ALL_LISTS } from '../../../src/sdk/documents.ts';
import type { LoadOptions, WishgateSnapshot } from './types.ts';

export type { LoadOptions, WishgateSnapshot } from './types.ts';

type Answer = { data?: { allLists: List[] | null } | null; errors?: { message: string }[] };

/** Reads the visitor's lists with one GraphQL call. A page is never lost by it: without a response it is rendered without lists. */
export async function loadWishgate(options: LoadOptions): Promise<WishgateSnapshot> {
  const { baseUrl, pid, identity, timeoutMs = 3_000, onError = console.error } = options;
  if (!identity) return { lists: null };
  const fetchLike: FetchLike = options.fetch ?? ((url, request) => fetch(url, request));
  try {
    const response = await fetchLike(`${baseUrl.replace(/\/+$/, '')}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-pid': pid,
        'x-regid': identity.regid,
        'x-sessionid': identity.sessionid,
      },
      body: JSON.stringify({ query: ALL_LISTS }),
      credentials: 'omit',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { data, errors } = JSON.parse(await response.text()) as Answer;
    if (data?.allLists) return { lists: data.allLists };
    throw new Error(errors?.[0]?.message ?? `The service returned ${response.status}`);
  } catch (error) {
    onError(error);
    return { lists: null };
  }
}
