import type { ComponentChildren } from 'preact';

type Props = {
  /** Classes; a small one that stands back unless told. */
  look?: string;
  /** What screen readers say, where the text alone is the same in every row. */
  label?: string;
  disabled?: boolean;
  /** Whether what it does is under way. */
  isBusy?: boolean;
  onClick: () => void;
  children: ComponentChildren;
};

export function Button({ look, label, disabled, isBusy, onClick, children }: Props) {
  return (
    <button
      type="button"
      class={look ?? 'small secondary outline'}
      aria-label={label}
      aria-busy={isBusy}
      disabled={disabled || isBusy}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
