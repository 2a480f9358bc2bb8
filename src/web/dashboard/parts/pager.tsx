import { useState } from 'preact/hooks';
import { moveTo, usePlace } from '../route.ts';

export type PageInfo = { hasNextPage: boolean; endCursor: string | null };

/** The cursors of the pages gone through up to the one that is shown; the first page has none. */
export type Trail = { cursors: string[]; after: string | null; move: (cursors: string[]) => void };

/** Begins at the first page, and again with every other filter: a cursor belongs to the filter that it came with. */
export function useTrail(filter = ''): Trail {
  const [trail, setTrail] = useState({ filter, cursors: [] as string[] });
  const cursors = trail.filter === filter ? trail.cursors : [];
  return { cursors, after: cursors.at(-1) ?? null, move: (next) => setTrail({ filter, cursors: next }) };
}

/** The same in the address, so that Back and a reload find the page; one that was opened by its address alone leads back to the first. */
export function useAddressTrail(): Trail {
  const { after = '', trail = '' } = usePlace().query;
  return {
    cursors: after === '' ? [] : [...trail.split(' ').filter(Boolean), after],
    after: after || null,
    move: (next) =>
      moveTo({ after: next.at(-1) ?? '', trail: next.slice(0, -1).join(' ') }, { hidden: ['trail'] }),
  };
}

/** Stays focusable where there is no further page, so that the keyboard's place is not lost. */
function Step({ label, isOpen, onStep }: { label: string; isOpen: boolean; onStep: () => void }) {
  return (
    <button
      type="button"
      class="small secondary outline"
      aria-disabled={isOpen ? undefined : 'true'}
      onClick={() => isOpen && onStep()}
    >
      {label}
    </button>
  );
}

type Props = {
  trail: Trail;
  pageInfo: PageInfo;
  /** Whether `pageInfo` is that of another page or filter: then a further step waits, so that a double click is one. */
  isStale: boolean;
  labels?: [back: string, on: string];
};

export function Pager({ trail, pageInfo, isStale, labels: [back, on] = ['Newer', 'Older'] }: Props) {
  const { cursors, move } = trail;
  const { hasNextPage, endCursor } = pageInfo;
  if (cursors.length === 0 && !hasNextPage) return null;
  return (
    <div class="pager">
      <Step label={back} isOpen={cursors.length > 0} onStep={() => move(cursors.slice(0, -1))} />
      <Step
        label={on}
        isOpen={hasNextPage && endCursor !== null && !isStale}
        onStep={() => move([...cursors, endCursor ?? ''])}
      />
    </div>
  );
}
