import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { changedFields, useDraft } from '../draft.ts';
import type { Draft } from '../draft.ts';
import { useAction } from '../session.ts';
import type { Action } from '../session.ts';
import { useUnsaved } from '../unsaved.tsx';
import { Failure } from './feedback.tsx';
import { FailedField } from './fields.tsx';
import type { FieldFailure } from './fields.tsx';

/** What a field of a form is given: its name, as failures call it, its value, and where what is typed goes. */
type Bound<Value> = { name: string; value: Value; onValue: (value: Value) => void };

/** The keys of the fields of one kind. */
type KeyOf<Fields, Value> = { [Key in keyof Fields]: Fields[Key] extends Value ? Key : never }[keyof Fields] &
  string;

/** A form whose changes are saved together. */
export type Form<Fields> = Draft<Fields> & {
  isChanged: boolean;
  saving: Action<[]>;
  /** Binds a field of text or choice; `name` where the service calls it otherwise. */
  text: <Key extends KeyOf<Fields, string>>(key: Key, name?: string) => Bound<Fields[Key]>;
  /** Binds a switch. */
  check: (
    key: KeyOf<Fields, boolean>,
    name?: string,
  ) => { name: string; checked: boolean; onChange: (value: boolean) => void };
};

/** A form over what is saved; `save` is given the changed inputs only. */
export function useForm<Fields extends object, Input extends object>({
  saved,
  inputOf,
  save,
}: {
  saved: Fields;
  inputOf: (fields: Fields) => Input;
  save: (changes: Partial<Input>) => Promise<void>;
}): Form<Fields> {
  const draft = useDraft(saved);
  const changes = changedFields(inputOf(draft.draft), inputOf(saved));
  const isChanged = Object.keys(changes).length > 0;
  const saving = useAction(async () => {
    if (isChanged) await save(changes);
    draft.settle();
  });
  return {
    ...draft,
    reset: () => {
      draft.reset();
      saving.clear();
    },
    isChanged,
    saving,
    text: (key, name = key) => ({
      name,
      value: draft.draft[key],
      onValue: (value) => draft.set({ [key]: value } as unknown as Partial<Fields>),
    }),
    check: (key, name = key) => ({
      name,
      checked: draft.draft[key] as boolean,
      onChange: (value) => draft.set({ [key]: value } as unknown as Partial<Fields>),
    }),
  };
}

/** The service's failures begin with the name of the field: "shareUrl must be …", "listTypes: "a b" must …". */
function fieldFailureOf(error: ApiError | null): FieldFailure | null {
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

/** A form that shows its failure at the field it names, and otherwise above its buttons. */
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
        void action.start();
      }}
      onKeyDown={(event) => {
        if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        form.current?.requestSubmit();
      }}
    >
      <FailedField.Provider value={fieldFailureOf(error)}>{children}</FailedField.Provider>
      <div class={isSticky ? 'form-foot is-sticky' : 'form-foot'}>
        <Failure error={error && isAtField ? SEE_FIELD : error} />
        {footer}
      </div>
    </form>
  );
}

/** Fields that are saved together: a row of buttons that stays in sight while something is not saved, and a warning before it is lost. */
export function SaveForm({
  form: { isChanged, saving, reset },
  label,
  children,
}: {
  form: Pick<Form<unknown>, 'isChanged' | 'saving' | 'reset'>;
  label: string;
  children: ComponentChildren;
}) {
  useUnsaved(isChanged);
  return (
    <FormFrame
      action={saving}
      isSticky={isChanged}
      footer={
        <div class="buttons">
          <span class="muted" role="status">
            {isChanged ? 'There are changes that are not saved.' : 'Everything is saved.'}
          </span>
          {isChanged && (
            <button type="button" class="secondary outline" disabled={saving.isBusy} onClick={reset}>
              Discard changes
            </button>
          )}
          <button type="submit" aria-disabled={!isChanged} disabled={saving.isBusy} aria-busy={saving.isBusy}>
            {label}
          </button>
        </div>
      }
    >
      {children}
    </FormFrame>
  );
}

/** A form that does one thing, in a dialog (with `onCancel`) or on the page. */
export function ActionForm({
  action,
  label,
  tone = '',
  isBlocked = false,
  onCancel,
  aside,
  children,
}: {
  action: Action<[]>;
  label: string;
  /** Class of the button that does it. */
  tone?: '' | 'secondary' | 'danger';
  /** Whether something is missing that the browser cannot know. */
  isBlocked?: boolean;
  onCancel?: () => void;
  /** Further buttons. */
  aside?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <FormFrame
      action={action}
      footer={
        <div class="buttons">
          {onCancel && (
            <button type="button" class="secondary outline" onClick={onCancel}>
              Cancel
            </button>
          )}
          <button
            type="submit"
            class={tone || undefined}
            disabled={action.isBusy || isBlocked}
            aria-busy={action.isBusy}
          >
            {label}
          </button>
          {aside}
        </div>
      }
    >
      {children}
    </FormFrame>
  );
}
