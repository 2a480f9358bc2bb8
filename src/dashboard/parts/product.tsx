import { isOwn } from '../own.ts';

type Named = { dt?: string | null; vi?: string | null; iu?: string | null; id: string | number };

/** A product as one sees it in tables: picture or initial, title, variant or id below. */
export function ProductName({ dt, vi, iu, id }: Named) {
  const picture = iu && isOwn(iu) ? iu : null;
  const title = dt ?? `Product ${id}`;
  return (
    <div class="product">
      {picture ? (
        <img src={picture} alt="" width="40" height="40" loading="lazy" />
      ) : (
        <span class="product-initial" aria-hidden="true">
          {[...title][0]?.toUpperCase()}
        </span>
      )}
      <span>
        <span class="product-title">{title}</span>
        <span class="muted">{vi ? `${vi} · ${id}` : `id ${id}`}</span>
      </span>
    </div>
  );
}
