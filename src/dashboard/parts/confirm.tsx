import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../session.ts';
import { Dialog } from './dialog.tsx';
import { Failure } from './feedback.tsx';
import { TextField } from './fields.tsx';

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
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void work.start();
        }}
      >
        <p>{children}</p>
        {phrase !== undefined && (
          <TextField
            label={`Type ${phrase} to confirm`}
            value={typed}
            onValue={setTyped}
            autocomplete="off"
            spellcheck={false}
          />
        )}
        <Failure error={work.error} />
        <footer class="buttons">
          <button type="button" class="secondary outline" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            class="danger"
            disabled={work.isBusy || (phrase !== undefined && typed.trim() !== phrase)}
            aria-busy={work.isBusy}
          >
            {action}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
