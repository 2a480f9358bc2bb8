import { useState } from 'preact/hooks';
import { SetStockDocument } from '../../../generated/dashboard.ts';
import { ApiError } from '../api.ts';
import { plural } from '../format.ts';
import { useAction, useSession } from '../session.ts';
import { Dialog } from './dialog.tsx';
import { NumberField } from './fields.tsx';
import { ActionForm } from './form.tsx';

/** The variant whose stock is set. */
export type Variant = { epi: string | number; title: string; stk: number | null; waiting?: number };

type Product = Omit<Variant, 'title'> & { dt: string | null; vi: string | null };

/** Picks a row's variant for setting its stock. */
export function SetStockButton({
  product: { dt, vi, ...variant },
  onPick,
}: {
  product: Product;
  onPick: (variant: Variant) => void;
}) {
  const title = [dt ?? `Variant ${variant.epi}`, vi].filter(Boolean).join(', ');
  return (
    <button
      type="button"
      class="small secondary outline"
      aria-label={`Set stock of ${title}`}
      onClick={() => onPick({ ...variant, title })}
    >
      Set stock
    </button>
  );
}

/** Asks for a stock figure and stores it; what comes back in stock alerts those who wait. */
export function SetStock({
  variant,
  onClose,
  onDone,
}: {
  variant: Variant;
  onClose: () => void;
  onDone: () => void;
}) {
  const { run, notify } = useSession();
  const [text, setText] = useState(variant.stk !== null && variant.stk > 0 ? String(variant.stk) : '');
  const save = useAction(async () => {
    const { setStock } = await run(SetStockDocument, { epi: variant.epi, stk: Number(text) });
    if (setStock.unknown.length > 0) {
      throw new ApiError(
        'not-found',
        'The catalogue does not know this variant yet. Send it with your product feed first.',
      );
    }
    notify(`Stock of ${variant.title} is now ${text}.`);
    onDone();
  });
  return (
    <Dialog title="Set stock" onClose={onClose}>
      <ActionForm action={save} label="Save stock" onCancel={onClose}>
        <p>
          <strong>{variant.title}</strong>
          {variant.waiting !== undefined && <> · {plural(variant.waiting, 'contact')} waiting</>}
        </p>
        <NumberField
          label="Units in stock"
          name="stk"
          min={0}
          max={1_000_000_000}
          required
          value={text}
          onValue={setText}
          hint="When a sold-out variant is back, those who wait for it are alerted."
        />
      </ActionForm>
    </Dialog>
  );
}
