import type { ComponentChildren } from 'preact';
import { Details } from './code.tsx';
import { textOf } from './model.ts';
import type { Call, Field } from './model.ts';
import { problemWith } from './request.ts';
import type { Result, Values } from './request.ts';
import { SchemaFields, typeName } from './schema.tsx';
import { Text } from './text.tsx';

type Edit = (name: string, value: string) => void;

type Props = Record<'id' | 'label' | 'about', string> & {
  type?: string;
  problem?: string;
  children: ComponentChildren;
};

/** The label and description of an input, which references `${id}-about` as its description. */
export function Labelled({ id, label, type, about, problem, children }: Props) {
  return (
    <div class="field">
      <label for={id}>{label}</label> <span class="quiet">{type}</span>
      <div id={`${id}-about`}>
        <Text text={about} />
        {problem && <strong class="bad">{problem}</strong>}
      </div>
      {children}
    </div>
  );
}

type InputProps = { field: Field; id: string; value: string; isWrong: boolean; edit: Edit };

function Input({ field, id, value, isWrong, edit }: InputProps) {
  const common = {
    id,
    value,
    'aria-describedby': `${id}-about`,
    'aria-invalid': isWrong,
    onInput: (event: { currentTarget: { value: string } }) => edit(field.name, event.currentTarget.value),
  };
  const words = field.schema.enum?.map(String) ?? (field.kind === 'flag' ? ['true', 'false'] : null);
  const options = words?.map((word) => <option selected={word === value}>{word}</option>);
  if (options)
    return (
      <select {...common}>
        {!field.isRequired && <option value="">Not sent</option>}
        {options}
      </select>
    );
  const placeholder = textOf(field.schema.example, field.kind === 'json');
  const typing = { ...common, placeholder, spellcheck: false, autocomplete: 'off' as const };
  if (field.kind === 'json')
    return <textarea {...typing} rows={Math.min(10, value.split('\n').length + 1)} />;
  return <input {...typing} type="text" inputMode={field.kind === 'integer' ? 'numeric' : 'text'} />;
}

const PLACES = { form: '', query: ' in the query string', header: ' header' };

type FieldsProps = { call: Call; values: Values; result: Result | null; edit: Edit };

/** Shows the fields of a typical call first, the others on demand. */
export function Fields({ call, values, result, edit }: FieldsProps) {
  // The type is already next to the name.
  const aboutOf = (text = ''): string => text.replace(/ JSON text: [^.]*\.$/, '');
  const row = (field: Field) => {
    const { name, schema, place, isRequired } = field;
    const id = `${call.operationId}-${name}`;
    const type = `${typeName(schema)}${PLACES[place]}${isRequired ? ', required' : ''}`;
    const problem = problemWith(name, result);
    return (
      <Labelled id={id} label={name} type={type} about={aboutOf(schema.description)} problem={problem}>
        <Input field={field} id={id} value={values[name] ?? ''} isWrong={problem !== ''} edit={edit} />
        <SchemaFields summary={`Inside \`${name}\``} schema={schema} isSent />
      </Labelled>
    );
  };
  const isUsual = (field: Field): boolean => field.isRequired || field.value !== '';
  const others = call.fields.filter((field) => !isUsual(field));
  const choices = call.choices.filter((names) => names.length > 1);
  return (
    <>
      {call.fields.length === 0 && <p class="quiet">No fields apart from the credentials.</p>}
      {choices.map((names) => (
        <Text text={`At least one of \`${names.join('`, `')}\` is required.`} />
      ))}
      {call.fields.filter(isUsual).map(row)}
      {others.length > 0 && (
        <Details summary={`More fields: ${others.map(({ name }) => name).join(', ')}`}>
          {() => others.map(row)}
        </Details>
      )}
    </>
  );
}
