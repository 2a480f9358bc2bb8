import { useState } from 'preact/hooks';
import { nameOf } from './model.ts';
import type { Schema } from './model.ts';
import { useSettings } from './settings.ts';
import { Line } from './text.tsx';

/** What a value is, in a word or two. */
export function typeName(schema: Schema): string {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.contentSchema) return `JSON: ${typeName(schema.contentSchema)}`;
  if (schema.anyOf) return schema.anyOf.map(typeName).join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.items) return `array of ${typeName(schema.items)}`;
  return [schema.type ?? 'anything'].flat().join(' or ');
}

/** What is inside of a value, where it has fields: through references, arrays and "or null". */
function inside(schema: Schema, schemas: Record<string, Schema>): Schema | null {
  if (schema.$ref) return inside(schemas[nameOf(schema.$ref)] ?? {}, schemas);
  if (schema.contentSchema) return inside(schema.contentSchema, schemas);
  if (schema.items) return inside(schema.items, schemas);
  if (schema.anyOf)
    return schema.anyOf.map((one) => inside(one, schemas)).find((one) => one !== null) ?? null;
  return schema.properties ? schema : null;
}

function Row({ name, schema, isRequired }: { name: string; schema: Schema; isRequired: boolean }) {
  const { schemas } = useSettings();
  const [isOpen, setOpen] = useState(false);
  const inner = inside(schema, schemas);
  return (
    <li>
      <code class="name">{name}</code> <span class="type">{typeName(schema)}</span>
      {isRequired && <span class="must">required</span>}
      {schema.description && (
        <p>
          <Line text={schema.description} />
        </p>
      )}
      {inner && (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            Fields of <code>{name}</code>
          </summary>
          {isOpen && <SchemaFields schema={inner} />}
        </details>
      )}
    </li>
  );
}

/** The fields of a value with what they are for; those inside of them open on demand. `showsRequired` is for what is sent. */
export function SchemaFields({ schema, showsRequired = false }: { schema: Schema; showsRequired?: boolean }) {
  const { schemas } = useSettings();
  const { properties = {}, required = [] } = inside(schema, schemas) ?? {};
  return (
    <ul class="schema">
      {Object.entries(properties).map(([name, inner]) => (
        <Row name={name} schema={inner} isRequired={showsRequired && required.includes(name)} />
      ))}
    </ul>
  );
}

/** Whether a value has fields to show. */
export const hasFields = (schema: Schema, schemas: Record<string, Schema>): boolean =>
  inside(schema, schemas) !== null;
