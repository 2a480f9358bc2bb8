import { useState } from 'preact/hooks';
import { formatNumber } from '../format.ts';
import { pictureUrl } from '../picture.ts';
import { hrefTo } from '../route.ts';
import { Badge } from './feedback.tsx';

type Named = { dt?: string | null; vi?: string | null; iu?: string | null };

/** A product as tables show it: picture or initial, title, variant or id below. */
export function ProductName({ dt, vi, iu, id, href }: Named & { id: string | number; href?: string }) {
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

/** The same for a variant, which leads to its page. */
export function VariantName({ epi, dt, vi, iu }: Named & { epi: string | number }) {
  return <ProductName dt={dt} vi={vi} iu={iu} id={epi} href={hrefTo('products', String(epi))} />;
}

/** Stock as a number, or as a word where there is none or it is unknown. */
export function Stock({ stk }: { stk: number | null }) {
  if (stk === null) return <Badge>unknown</Badge>;
  return stk > 0 ? <>{formatNumber(stk)}</> : <Badge tone="warn">sold out</Badge>;
}
