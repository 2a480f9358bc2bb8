import { Details } from './code.tsx';
import { nameOf } from './model.ts';
import type { Schema } from './model.ts';
import { useSettings } from './settings.ts';
import { Text } from './text.tsx';

export function typeName(schema: Schema): string {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.contentSchema) return `JSON: ${typeName(schema.contentSchema)}`;
  if (schema.anyOf) return schema.anyOf.map(typeName).join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.items) return `array of ${typeName(schema.items)}`;
  return [schema.type ?? 'anything'].flat().join(' or ');
}

/** Finds the object within a value: through references, arrays and "or null". */
export function objectIn(schema: Schema, schemas: Record<string, Schema>): Schema | undefined {
  const inner = schema.$ref ? schemas[nameOf(schema.$ref)] : (schema.contentSchema ?? schema.items);
  if (inner) return objectIn(inner, schemas);
  if (schema.anyOf) return schema.anyOf.map((one) => objectIn(one, schemas)).find(Boolean);
  return schema.properties ? schema : undefined;
}

/** Shows the fields of a value and, on demand, nested ones; for a request, also which are required. */
export function SchemaFields(props: { summary: string; schema: Schema; isSent?: boolean }) {
  const { schemas } = useSettings();
  const { properties, required = [] } = objectIn(props.schema, schemas) ?? {};
  if (!properties) return null;
  return (
    <Details summary={props.summary}>
      {() => (
        <ul class="schema">
          {Object.entries(properties).map(([name, inner]) => (
            <li>
              <code>{name}</code>{' '}
              <span class="quiet">
                {typeName(inner)}
                {props.isSent && required.includes(name) && ', required'}
              </span>
              <Text text={inner.description ?? ''} />
              <SchemaFields summary={`Fields of \`${name}\``} schema={inner} />
            </li>
          ))}
        </ul>
      )}
    </Details>
  );
}
