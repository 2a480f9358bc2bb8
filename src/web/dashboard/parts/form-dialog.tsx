import type { ComponentChildren, VNode } from 'preact';
import { useAction, useText } from '../session.ts';
import { Dialog, useDialog } from './dialog.tsx';
import { TextField } from './fields.tsx';
import { ActionForm } from './form.tsx';

type Props = {
  title: string;
  /** Of the button that submits. */
  label: string;
  tone?: 'danger';
  isBlocked?: boolean;
  /** May return the dialog that follows; without one the dialog closes. */
  onSubmit: () => Promise<VNode | void>;
  children: ComponentChildren;
};

/** A dialog with a form that does one thing. */
export function FormDialog({ title, onSubmit, ...form }: Props) {
  const { open, close } = useDialog();
  const action = useAction(async () => {
    const next = await onSubmit();
    if (next) open(next);
    else close();
  });
  return (
    <Dialog title={title}>
      <ActionForm action={action} {...form} />
    </Dialog>
  );
}

/** Asks before something that cannot be undone; with `phrase`, it must be typed first. */
export function Confirm({
  phrase,
  children,
  ...props
}: Omit<Props, 'tone' | 'isBlocked'> & { phrase?: string }) {
  const typed = useText();
  return (
    <FormDialog {...props} tone="danger" isBlocked={phrase !== undefined && typed.value.trim() !== phrase}>
      <div class="confirm-text">{children}</div>
      {phrase !== undefined && (
        <TextField label={`Type ${phrase} to confirm`} {...typed} autocomplete="off" spellcheck={false} />
      )}
    </FormDialog>
  );
}
