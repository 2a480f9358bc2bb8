import { useState } from 'preact/hooks';
import type { Call, Field } from './model.ts';
import type { Values } from './request.ts';
import { SchemaFields, hasFields, typeName } from './schema.tsx';
import { useSettings } from './settings.ts';
import { Line } from './text.tsx';

type Edit = (name: string, value: string) => void;

function Input({ field, id, value, edit }: { field: Field; id: string; value: string; edit: Edit }) {
  const common = { id, name: field.name, 'aria-describedby': `${id}-about` };
  const words = field.words ?? (field.kind === 'flag' ? ['true', 'false'] : null);
  if (words)
    return (
      <select {...common} value={value} onChange={(event) => edit(field.name, event.currentTarget.value)}>
        {!field.isRequired && <option value="">not sent</option>}
        {words.map((word) => (
          <option value={word} selected={word === value}>
            {word}
          </option>
        ))}
      </select>
    );
  const typing = {
    ...common,
    value,
    placeholder: field.example,
    spellcheck: false,
    autocomplete: 'off' as const,
    onInput: (event: { currentTarget: { value: string } }) => edit(field.name, event.currentTarget.value),
  };
  if (field.kind === 'json')
    return <textarea {...typing} rows={Math.min(10, value.split('\n').length + 1)} />;
  return <input {...typing} type="text" inputMode={field.kind === 'integer' ? 'numeric' : 'text'} />;
}

/** What stands inside of a JSON field; it is looked up when it is opened. */
function Inside({ field }: { field: Field }) {
  const { schemas } = useSettings();
  const [isOpen, setOpen] = useState(false);
  if (!hasFields(field.schema, schemas)) return null;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Inside <code>{field.name}</code>
      </summary>
      {isOpen && <SchemaFields schema={field.schema} showsRequired />}
    </details>
  );
}

const PLACES = { form: '', query: 'in the query', header: 'header' };

function FieldRow({ call, field, value, edit }: { call: Call; field: Field; value: string; edit: Edit }) {
  const id = `${call.id}-${field.name}`;
  return (
    <div class="field">
      <div class="field-head">
        <label for={id}>{field.name}</label>
        <span class="type">{typeName(field.schema)}</span>
        {PLACES[field.place] && <span class="type">{PLACES[field.place]}</span>}
        {field.isRequired && <span class="must">required</span>}
      </div>
      <p id={`${id}-about`}>
        <Line text={field.description} />
      </p>
      <Input field={field} id={id} value={value} edit={edit} />
      <Inside field={field} />
    </div>
  );
}

/** The fields of a call to fill in: first what a usual call sends, the others on demand. */
export function Fields({ call, values, edit }: { call: Call; values: Values; edit: Edit }) {
  const isUsual = (field: Field): boolean => field.isRequired || field.value !== '';
  const rows = (fields: Field[]) =>
    fields.map((field) => (
      <FieldRow call={call} field={field} value={values[field.name] ?? ''} edit={edit} />
    ));
  const others = call.fields.filter((field) => !isUsual(field));
  const choices = call.choices.filter((names) => names.length > 1);
  return (
    <>
      {call.fields.length === 0 && <p class="quiet">No fields beside the credentials.</p>}
      {choices.map((names) => (
        <p class="quiet">
          At least one of{' '}
          {names.map((name, index) => (
            <>
              {index > 0 && ', '}
              <code>{name}</code>
            </>
          ))}{' '}
          is needed.
        </p>
      ))}
      {rows(call.fields.filter(isUsual))}
      {others.length > 0 && (
        <details class="others">
          <summary>
            {others.length} more {others.length === 1 ? 'field' : 'fields'}:{' '}
            {others.map(({ name }) => name).join(', ')}
          </summary>
          {rows(others)}
        </details>
      )}
    </>
  );
}
