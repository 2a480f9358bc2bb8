import { emptyOf } from '../form-rows.ts';
import type { FormRow, RowDraft } from '../form-rows.ts';
import { Choice, NumberField, Switch, TextArea, TextField } from './fields.tsx';

type Option = { value: string; label: string };

function zoneOptions(chosen: string): Option[] {
  const names = new Set([...Intl.supportedValuesOf('timeZone'), ...(chosen ? [chosen] : [])]);
  const options = [...names].filter((name) => name !== 'UTC').map((name) => ({ value: name, label: name }));
  return [{ value: '', label: 'UTC' }, ...options];
}

const currencies = new Intl.DisplayNames('en', { type: 'currency' });

function currencyOptions(chosen: string): Option[] {
  const codes = new Set([...Intl.supportedValuesOf('currency'), ...(chosen ? [chosen] : [])]);
  const options = [...codes].map((code) => ({
    value: code,
    label: `${code} – ${currencies.of(code) ?? code}`,
  }));
  return [{ value: '', label: 'None: prices are plain numbers' }, ...options];
}

export type RowForm = { draft: RowDraft; set: (part: RowDraft) => void };

export function RowField({
  row,
  form: { draft, set },
  isRequired = emptyOf(row) === undefined,
  placeholder = row.form.placeholder,
}: {
  row: FormRow;
  form: RowForm;
  isRequired?: boolean;
  placeholder?: string;
}) {
  const { name } = row;
  const { label, hint, as, unitSeconds = 1 } = row.form;
  if (row.kind === 'flag')
    return (
      <Switch
        {...{ name, label, hint }}
        checked={draft[name] === true}
        onChange={(value) => set({ [name]: value })}
      />
    );
  const value = String(draft[name]);
  const bound = { name, label, hint, value, onValue: (text: string) => set({ [name]: text }) };
  if (row.kind === 'list') return <TextArea rows={5} {...bound} />;
  if (row.kind === 'int')
    return (
      <NumberField
        {...bound}
        min={row.min / unitSeconds}
        max={row.max / unitSeconds}
        step={unitSeconds === 1 ? 1 : 'any'}
        required={isRequired}
        placeholder={placeholder}
      />
    );
  if (as === 'timeZone') return <Choice {...bound} options={zoneOptions(value)} />;
  if (as === 'currency') return <Choice {...bound} options={currencyOptions(value)} />;
  return (
    <TextField
      {...bound}
      type={as}
      maxLength={row.max}
      required={isRequired}
      placeholder={placeholder}
      spellcheck={false}
    />
  );
}
