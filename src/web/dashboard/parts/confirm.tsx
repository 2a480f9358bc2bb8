import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../session.ts';
import { Dialog } from './dialog.tsx';
import { TextField } from './fields.tsx';
import { ActionForm } from './form.tsx';

/** Asks before something that cannot be undone; with `phrase`, it must be typed first. */
export function Confirm({
  title,
  action,
  phrase,
  onClose,
  onConfirm,
  children,
}: {
  title: string;
  action: string;
  phrase?: string;
  onClose: () => void;
  onConfirm: () => Promise<void>;
  children: ComponentChildren;
}) {
  const [typed, setTyped] = useState('');
  const work = useAction(onConfirm);
  return (
    <Dialog title={title} onClose={onClose}>
      <ActionForm
        action={work}
        label={action}
        tone="danger"
        isBlocked={phrase !== undefined && typed.trim() !== phrase}
        onCancel={onClose}
      >
        <div class="confirm-text">{children}</div>
        {phrase !== undefined && (
          <TextField
            label={`Type ${phrase} to confirm`}
            value={typed}
            onValue={setTyped}
            autocomplete="off"
            spellcheck={false}
          />
        )}
      </ActionForm>
    </Dialog>
  );
}
