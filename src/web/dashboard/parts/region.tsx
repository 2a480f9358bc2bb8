import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { RegionDocument } from '../../../generated/dashboard.ts';
import { setRegion } from '../format.ts';
import { usePlace } from '../route.ts';
import { useQuery } from '../session.ts';

/** Shows the pages once it is known in which time zone and currency; without an answer, in the reader's own. */
export function Region({ children }: { children: ComponentChildren }) {
  const store = useQuery(RegionDocument, {});
  const { page } = usePlace();
  const last = useRef(page);
  useEffect(() => {
    // The settings may have changed both.
    if (last.current === 'settings' && page !== 'settings') store.reload();
    last.current = page;
  }, [page]);
  if (store.data === null && store.isLoading) return null;
  if (store.data) setRegion(store.data.store);
  return <>{children}</>;
}
