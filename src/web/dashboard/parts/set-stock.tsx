import { SetStockDocument } from '../../../generated/dashboard.ts';
import { ApiError } from '../api.ts';
import { plural } from '../format.ts';
import { useSession, useText } from '../session.ts';
import { Button } from './button.tsx';
import { useDialog } from './dialog.tsx';
import { NumberField } from './fields.tsx';
import { FormDialog } from './form-dialog.tsx';

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

/** Asks for a stock figure and stores it; what comes back in stock alerts its subscribers. */
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
