import { useState } from 'preact/hooks';
import { formatNumber } from '../format.ts';
import { pictureUrl } from '../picture.ts';
import { Badge } from './feedback.tsx';

type Named = {
  dt?: string | null;
  vi?: string | null;
  iu?: string | null;
  id: string | number;
  /** Where the title leads. */
  href?: string;
};

/** A product as one sees it in tables: picture or initial, title, variant or id below. */
export function ProductName({ dt, vi, iu, id, href }: Named) {
  const [failed, setFailed] = useState<string | null>(null);
  const picture = pictureUrl(iu);
  const title = dt || `Product ${id}`;
  return (
    <div class="product">
      {picture !== null && picture !== failed ? (
        <img src={picture} alt="" width="40" height="40" loading="lazy" onError={() => setFailed(picture)} />
      ) : (
        <span class="product-initial" aria-hidden="true">
          {[...title][0]?.toUpperCase()}
        </span>
      )}
      <span>
        <span class="product-title" title={title.length > 24 ? title : undefined}>
          {href ? <a href={href}>{title}</a> : title}
        </span>
        <span class="muted">{vi ? `${vi} · ${id}` : `id ${id}`}</span>
      </span>
    </div>
  );
}

/** Stock in numbers, or in a word where there is none or nobody knows. */
export function Stock({ stk }: { stk: number | null }) {
  if (stk === null) return <Badge>unknown</Badge>;
  return stk > 0 ? <>{formatNumber(stk)}</> : <Badge tone="warn">sold out</Badge>;
}
