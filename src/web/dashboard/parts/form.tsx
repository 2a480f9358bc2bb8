import type { ComponentChildren, VNode } from 'preact';
import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { fieldErrorOf } from '../api.ts';
import { useAction, useDialog, useText } from '../session.ts';
import type { Action } from '../session.ts';
import { t } from '../text.ts';
import { useUnsaved } from '../unsaved.tsx';
import { Dialog, InDialog } from './dialog.tsx';
import { FieldErrorContext, TextField } from './fields.tsx';
import type { TextProps } from './fields.tsx';
import { Button, ErrorNotice } from './layout.tsx';

type TextKey<Fields> = { [Key in keyof Fields]: Fields[Key] extends string ? Key : never }[keyof Fields] &
  string;

/** Only changed fields are sent, so that a colleague's concurrent changes remain. */
export function changedFields<Fields extends object>(fields: Fields, saved: Fields): Partial<Fields> {
  const isChanged = ([name, value]: [string, unknown]): boolean =>
    JSON.stringify(value) !== JSON.stringify(saved[name as keyof Fields]);
  return Object.fromEntries(Object.entries(fields).filter(isChanged)) as Partial<Fields>;
}

/** Unsaved input overrides the saved values. `save` receives only the changed inputs and returns a message for the user. */
export function useForm<Fields extends object, Input extends object>(
  saved: Fields,
  inputOf: (fields: Fields) => Input,
  save: (changes: Partial<Input>, draft: Fields) => Promise<string>,
) {
  const [typed, setTyped] = useState<Partial<Fields>>({});
  const draft = { ...saved, ...typed };
  const changes = changedFields(inputOf(draft), inputOf(saved));
  const isChanged = Object.keys(changes).length > 0;
  const set = (part: Partial<Fields>): void => setTyped((now) => ({ ...now, ...part }));
  const saving = useAction(async () => {
    const message = isChanged ? await save(changes, draft) : undefined;
    // Input during the save remains.
    setTyped((now) => (now === typed ? {} : now));
    return message;
  });
  const reset = (): void => {
    setTyped({});
    saving.clear();
  };
  /** Binds a text or choice field. */
  const text = <Key extends TextKey<Fields>>(name: Key) => ({
    name,
    value: draft[name],
    onValue: (value: Fields[Key]) => set({ [name]: value } as unknown as Partial<Fields>),
  });
  return { draft, isChanged, saving, set, reset, text };
}

export type Form<Fields extends object> = ReturnType<typeof useForm<Fields, object>>;

type ActionFormProps = {
  action: Action;
  label: string;
  tone?: 'secondary' | 'danger';
  /** Whether required input is missing that the browser cannot validate. */
  isBlocked?: boolean;
  /** Whether there is nothing to save; the buttons stay visible while there is. */
  isSaved?: boolean;
  /** Stand before and after the button. */
  before?: ComponentChildren;
  after?: ComponentChildren;
  children: ComponentChildren;
};

/** Shows an error at the field it names, or else above the buttons. */
export function ActionForm(props: ActionFormProps) {
  const { action, label, tone, isBlocked = false, isSaved, before, after, children } = props;
  const { close } = useDialog();
  const isInDialog = useContext(InDialog);
  const form = useRef<HTMLFormElement>(null);
  const [isAtField, setAtField] = useState(false);
  const { error, isBusy } = action;
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
      <div class={isSaved === false ? 'form-foot is-sticky' : 'form-foot'}>
        <ErrorNotice error={error && isAtField ? new Error(t('form.checkField')) : error} />
        <div class="buttons">
          {before}
          {isInDialog && <Button text={t('common.cancel')} look="secondary outline" onClick={close} />}
          <button
            type="submit"
            class={tone}
            aria-disabled={isSaved}
            disabled={isBusy || isBlocked}
            aria-busy={isBusy}
          >
            {label}
          </button>
          {after}
        </div>
      </div>
    </form>
  );
}

type SaveFormProps = {
  form: Pick<Form<object>, 'isChanged' | 'saving' | 'reset'>;
  label: string;
  children: ComponentChildren;
};

/** The page asks before it is left while there are unsaved changes. */
export function SaveForm({ form: { isChanged, saving, reset }, label, children }: SaveFormProps) {
  useUnsaved(isChanged);
  const state = (
    <>
      <span class="muted" role="status">
        {t(isChanged ? 'form.unsaved' : 'form.allSaved')}
      </span>
      {isChanged && (
        <Button text={t('form.discard')} look="secondary outline" disabled={saving.isBusy} onClick={reset} />
      )}
    </>
  );
  return (
    <ActionForm action={saving} label={label} isSaved={!isChanged} before={state}>
      {children}
    </ActionForm>
  );
}

type FormDialogProps = Pick<ActionFormProps, 'label' | 'tone' | 'isBlocked'> & {
  title: string;
  /** A text field below the children. */
  field?: Omit<TextProps, 'value' | 'onValue'> & { initial?: string };
  /** The text that the user must type first. */
  phrase?: string;
  /** Receives the field's text. May return the next dialog, or a message for the user; then the dialog closes. */
  onSubmit: (text: string) => Promise<VNode | string | void>;
  children?: ComponentChildren;
};

export function FormDialog(props: FormDialogProps) {
  const { title, field, phrase, isBlocked, onSubmit, children, ...form } = props;
  const { initial, ...input } = field ?? { label: '' };
  const { open, close } = useDialog();
  const typed = useText(initial);
  const text = typed.value.trim();
  const action = useAction(async () => {
    const next = await onSubmit(text);
    if (typeof next === 'object') return open(next);
    close();
    return next;
  });
  return (
    <Dialog title={title}>
      <ActionForm {...form} action={action} isBlocked={isBlocked || (phrase ?? text) !== text}>
        {children}
        {field && <TextField {...input} {...typed} autocomplete="off" />}
      </ActionForm>
    </Dialog>
  );
}

/** Asks before an action that cannot be undone; the user must type `phrase` first, if given. */
export function Confirm({ children, ...props }: Omit<FormDialogProps, 'tone' | 'isBlocked' | 'field'>) {
  const { phrase } = props;
  const field = phrase ? { label: t('form.typeToConfirm', { phrase }), spellcheck: false } : undefined;
  return (
    <FormDialog {...props} tone="danger" field={field}>
      <div class="confirm-text">{children}</div>
    </FormDialog>
  );
}
