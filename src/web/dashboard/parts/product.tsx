import { useState } from 'preact/hooks';
import { SetStockDocument } from '../../../generated/dashboard.ts';
import { ApiError } from '../api.ts';
import { formatMoment, formatNumber, plural } from '../format.ts';
import { pictureUrl } from '../picture.ts';
import { hrefTo } from '../route.ts';
import { useSession, useText } from '../session.ts';
import { useDialog } from './dialog.tsx';
import { Badge } from './feedback.tsx';
import { NumberField } from './fields.tsx';
import { FormDialog } from './form.tsx';
import { Button } from './layout.tsx';
import type { Column } from './layout.tsx';

type Named = { dt?: string | null; vi?: string | null; iu?: string | null };

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

export function VariantName({ epi, dt, vi, iu }: Named & { epi: string | number }) {
  return <ProductName dt={dt} vi={vi} iu={iu} id={epi} href={hrefTo('products', String(epi))} />;
}

export function Stock({ stk }: { stk: number | null }) {
  if (stk === null) return <Badge>unknown</Badge>;
  return stk > 0 ? <>{formatNumber(stk)}</> : <Badge tone="warn">sold out</Badge>;
}

type Variant = {
  epi: string | number;
  dt: string | null;
  vi: string | null;
  stk: number | null;
  waiting?: number | null;
};
type Props = { variant: Variant; onDone: () => void };

const titleOf = ({ dt, vi, epi }: Variant): string => [dt ?? `Variant ${epi}`, vi].filter(Boolean).join(', ');

const UNKNOWN = 'The catalogue does not know this variant yet. Send it with your product feed first.';

/** Saves a stock figure; a product that is back in stock alerts its subscribers. */
function SetStock({ variant, onDone }: Props) {
  const { run, notify } = useSession();
  const stock = useText(variant.stk !== null && variant.stk > 0 ? String(variant.stk) : '');
  const title = titleOf(variant);
  const save = async (): Promise<void> => {
    const { setStock } = await run(SetStockDocument, { epi: variant.epi, stk: Number(stock.value) });
    if (setStock.unknown.length > 0) throw new ApiError('not-found', UNKNOWN);
    notify(`Stock of ${title} is now ${stock.value}.`);
    onDone();
  };
  return (
    <FormDialog title="Set stock" label="Save stock" onSubmit={save}>
      <p>
        <strong>{title}</strong> · {plural(variant.waiting ?? 0, 'contact')} waiting
      </p>
      <NumberField
        label="Units in stock"
        name="stk"
        min={0}
        max={1_000_000_000}
        required
        {...stock}
        hint="When a sold-out variant is back, those who wait for it are alerted."
      />
    </FormDialog>
  );
}

export function SetStockButton(props: Props) {
  const { open } = useDialog();
  return (
    <Button label={`Set stock of ${titleOf(props.variant)}`} onClick={() => open(<SetStock {...props} />)}>
      Set stock
    </Button>
  );
}

type Subscription = { mediumvalue: string; topic: string; confirmed: boolean; cts: number };

export const SUBSCRIPTION = {
  contact: { label: 'Contact', cell: ({ mediumvalue }) => <span class="wrap">{mediumvalue}</span> },
  topic: { label: 'Topic', cell: ({ topic }) => topic },
  state: {
    label: 'State',
    cell: ({ confirmed }) =>
      confirmed ? <Badge tone="good">confirmed</Badge> : <Badge>to be confirmed</Badge>,
  },
  since: { label: 'Since', cell: ({ cts }) => formatMoment(cts) },
} satisfies Record<string, Column<Subscription>>;
