import type { FormField, IntField } from '../../platform/fields.ts';
import { linesOf } from './format.ts';

export type FormRow = { name: string; form: FormField } & (
  | IntField
  | { kind: 'text'; max?: number; initial?: string | null }
  | { kind: 'list' }
  | { kind: 'flag' }
);

/** The form's values while editing: everything except switches is text. */
export type RowDraft = Record<string, string | boolean>;

/** The value of an empty field; undefined if the field is required. */
export function emptyOf(row: FormRow): number | string | null | undefined {
  if (row.kind === 'int') return row.initial === null ? null : row.form.emptyIs;
  return row.kind === 'text' ? row.initial : '';
}

function draftValue(row: FormRow, value: unknown): string | boolean {
  switch (row.kind) {
    case 'flag':
      return value as boolean;
    case 'list':
      return (value as string[]).join('\n');
    case 'int':
      return value === emptyOf(row) ? '' : String((value as number) / (row.form.unitSeconds ?? 1));
    case 'text':
      return (value as string | null) ?? '';
  }
}

function inputValue(row: FormRow, draft: string | boolean): unknown {
  if (typeof draft === 'boolean' || row.kind === 'flag') return draft;
  if (row.kind === 'list') return linesOf(draft);
  const text = draft.trim();
  if (text === '') {
    const empty = emptyOf(row);
    return empty !== undefined ? empty : row.kind === 'int' ? row.initial : '';
  }
  if (row.kind === 'text') return text;
  const { unitSeconds } = row.form;
  return unitSeconds ? Math.round(Number(text) * unitSeconds) : Number(text);
}

export function draftOfRows(rows: readonly FormRow[], saved: Record<string, unknown>): RowDraft {
  return Object.fromEntries(rows.map((row) => [row.name, draftValue(row, saved[row.name])]));
}

export function inputOfRows<Input>(rows: readonly FormRow[], draft: RowDraft): Input {
  return Object.fromEntries(rows.map((row) => [row.name, inputValue(row, draft[row.name]!)])) as Input;
}
