import { useEffect, useRef, useState } from 'preact/hooks';
import { moveTo, usePlace } from '../route.ts';
import { useText } from '../session.ts';
import { Segments, TextField } from './fields.tsx';
import type { Option } from './fields.tsx';

const TYPING_PAUSE_MS = 250;

/** A value once it has rested for a moment, so that typing does not call at every letter. */
export function useSettled(value: string, pauseMs = TYPING_PAUSE_MS): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}

type Bound = { value: string; onValue: (value: string, replace?: boolean) => void };

/** The filters of a table, which the address holds; those that name people are `hidden`. A change begins at the first page. */
export function useFilters<Name extends string>(names: readonly Name[], hidden: readonly Name[] = []) {
  const { query } = usePlace();
  const filters = Object.fromEntries(names.map((name) => [name, query[name] ?? ''])) as Record<Name, string>;
  const change = (name: Name, value: string, replace = false): void =>
    moveTo({ [name]: value, after: '', trail: '' }, { replace, hidden });
  const bind = (name: Name): Bound => ({
    value: filters[name],
    onValue: (value, replace) => change(name, value, replace),
  });
  return { filters, change, bind };
}

/** One of the options, whatever the address says. */
export const oneOf = <Value extends string>(
  text: string,
  options: readonly Option<Value>[],
  other: Value,
): Value => options.find(({ value }) => value === text)?.value ?? other;

/** A choice of how many days back the page looks, 30 unless the address says otherwise. */
export function useDays(choices: readonly string[]) {
  const { filters, change } = useFilters(['days']);
  const options = choices.map((days) => ({ value: days, label: `${days} days` }));
  const value = oneOf(filters.days, options, '30');
  const onValue = (days: string): void => change('days', days === '30' ? '' : days);
  return {
    days: Number(value),
    picker: <Segments label="Range" value={value} options={options} onValue={onValue} />,
  };
}

/** A search that starts when one stops typing, and follows Back. */
export function SearchBox({ value, onValue, ...rest }: Bound & { label: string; placeholder: string }) {
  const [text, setText] = useState(value);
  const latest = useRef(onValue);
  latest.current = onValue;
  useEffect(() => setText((now) => (now.trim() === value ? now : value)), [value]);
  useEffect(() => {
    const wanted = text.trim();
    if (wanted === value) return undefined;
    const timer = setTimeout(() => latest.current(wanted, true), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
    // Only typing starts a search: a value that changes meanwhile comes from Back, and is taken over above.
  }, [text]);
  return (
    <TextField {...rest} type="search" value={text} onValue={setText} autocomplete="off" spellcheck={false} />
  );
}

/** A search outside the address: its field, and what was typed once it has rested. */
export function useSearch() {
  const field = useText();
  const search = useSettled(field.value.trim());
  return { search, box: <TextField label="Search" type="search" placeholder="Name or pid" {...field} /> };
}
