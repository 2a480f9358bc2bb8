import type { ComponentChildren, VNode } from 'preact';
import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { useAction, useText } from '../session.ts';
import type { Action } from '../session.ts';
import { useUnsaved } from '../unsaved.tsx';
import { Dialog, InDialog, useDialog } from './dialog.tsx';
import { ErrorNotice } from './feedback.tsx';
import { FieldErrorContext, TextField } from './fields.tsx';
import type { FieldError } from './fields.tsx';
import { Button } from './layout.tsx';

type Bound<Value> = { name: string; value: Value; onValue: (value: Value) => void };
type BoundSwitch = { name: string; checked: boolean; onChange: (value: boolean) => void };

type KeyOf<Fields, Value> = { [Key in keyof Fields]: Fields[Key] extends Value ? Key : never }[keyof Fields] &
  string;

/** A form whose changes are saved together: unsaved input overrides the saved values. */
export type Form<Fields> = {
  draft: Fields;
  isChanged: boolean;
  saving: Action<[]>;
  set: (part: Partial<Fields>) => void;
  reset: () => void;
  /** Binds a text or choice field; `name` is the service's name if it differs. */
  text: <Key extends KeyOf<Fields, string>>(key: Key, name?: string) => Bound<Fields[Key]>;
  check: (key: KeyOf<Fields, boolean>, name?: string) => BoundSwitch;
};

/** Only changed fields are sent, so that a colleague's concurrent changes remain. */
export function changedFields<Fields extends object>(fields: Fields, saved: Fields): Partial<Fields> {
  const isChanged = ([name, value]: [string, unknown]): boolean =>
    JSON.stringify(value) !== JSON.stringify(saved[name as keyof Fields]);
  return Object.fromEntries(Object.entries(fields).filter(isChanged)) as Partial<Fields>;
}

/** `save` receives only the changed inputs. */
export function useForm<Fields extends object, Input extends object>({
  saved,
  inputOf,
  save,
}: {
  saved: Fields;
  inputOf: (fields: Fields) => Input;
  save: (changes: Partial<Input>) => Promise<void>;
}): Form<Fields> {
  const [typed, setTyped] = useState<Partial<Fields>>({});
  const draft = { ...saved, ...typed };
  const changes = changedFields(inputOf(draft), inputOf(saved));
  const isChanged = Object.keys(changes).length > 0;
  const set = (part: Partial<Fields>): void => setTyped((now) => ({ ...now, ...part }));
  const setField = (key: string) => (value: unknown) => set({ [key]: value } as Partial<Fields>);
  const saving = useAction(async () => {
    if (isChanged) await save(changes);
    // Input during the save remains.
    setTyped((now) => (now === typed ? {} : now));
  });
  const reset = (): void => {
    setTyped({});
    saving.clear();
  };
  return {
    ...{ draft, isChanged, saving, set, reset },
    text: (key, name = key) => ({ name, value: draft[key], onValue: setField(key) }),
    check: (key, name = key) => ({ name, checked: draft[key] as boolean, onChange: setField(key) }),
  };
}

/** The service's errors begin with the name of the field: "shareUrl must be …", "listTypes: "a b" must …". */
function fieldErrorOf(error: ApiError | null): FieldError | null {
  const [, name, rule] = /^([a-z]\w*):?\s(.+)$/s.exec(error?.message ?? '') ?? [];
  return name && rule ? { name, message: rule.charAt(0).toUpperCase() + rule.slice(1) } : null;
}

const SEE_FIELD = new ApiError('invalid-request', 'This was not taken: see the field that is marked.');

type Frame = {
  action: Action<[]>;
  children: ComponentChildren;
  footer: ComponentChildren;
  isSticky?: boolean;
};

/** Shows an error at the field it names, or else above the buttons. */
function FormFrame({ action, children, footer, isSticky = false }: Frame) {
  const form = useRef<HTMLFormElement>(null);
  const [isAtField, setAtField] = useState(false);
  const { error } = action;
  useLayoutEffect(() => {
    const field = error && form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    setAtField(Boolean(field));
    field?.focus();
  }, [error]);
  return (
    <form
      ref={form}
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        action.start();
      }}
      onKeyDown={(event) => {
        if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        form.current?.requestSubmit();
      }}
    >
      <FieldErrorContext.Provider value={fieldErrorOf(error)}>{children}</FieldErrorContext.Provider>
      <div class={isSticky ? 'form-foot is-sticky' : 'form-foot'}>
        <ErrorNotice error={error && isAtField ? SEE_FIELD : error} />
        <div class="buttons">{footer}</div>
      </div>
    </form>
  );
}

type SaveFormProps = {
  form: Pick<Form<unknown>, 'isChanged' | 'saving' | 'reset'>;
  label: string;
  children: ComponentChildren;
};

/** The buttons stay visible while there are unsaved changes, and the page asks before it is left. */
export function SaveForm({ form: { isChanged, saving, reset }, label, children }: SaveFormProps) {
  useUnsaved(isChanged);
  const footer = (
    <>
      <span class="muted" role="status">
        {isChanged ? 'There are changes that are not saved.' : 'Everything is saved.'}
      </span>
      {isChanged && (
        <Button look="secondary outline" disabled={saving.isBusy} onClick={reset}>
          Discard changes
        </Button>
      )}
      <button type="submit" aria-disabled={!isChanged} disabled={saving.isBusy} aria-busy={saving.isBusy}>
        {label}
      </button>
    </>
  );
  return (
    <FormFrame action={saving} isSticky={isChanged} footer={footer}>
      {children}
    </FormFrame>
  );
}

type ActionFormProps = {
  action: Action<[]>;
  label: string;
  tone?: 'secondary' | 'danger';
  /** Whether required input is missing that the browser cannot validate. */
  isBlocked?: boolean;
  aside?: ComponentChildren;
  children: ComponentChildren;
};

export function ActionForm({ action, label, tone, isBlocked = false, aside, children }: ActionFormProps) {
  const { close } = useDialog();
  const footer = (
    <>
      {useContext(InDialog) && (
        <Button look="secondary outline" onClick={close}>
          Cancel
        </Button>
      )}
      <button type="submit" class={tone} disabled={action.isBusy || isBlocked} aria-busy={action.isBusy}>
        {label}
      </button>
      {aside}
    </>
  );
  return (
    <FormFrame action={action} footer={footer}>
      {children}
    </FormFrame>
  );
}

type Props = {
  title: string;
  label: string;
  tone?: 'danger';
  isBlocked?: boolean;
  /** May return the next dialog; without one the dialog closes. */
  onSubmit: () => Promise<VNode | void>;
  children: ComponentChildren;
};

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

/** Asks before an action that cannot be undone; the user must type `phrase` first, if given. */
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
