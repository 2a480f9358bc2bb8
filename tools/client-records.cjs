// Writes the browser library's record types: a type for each fragment of a REST record and for each input that its calls
// take, with the schema's descriptions. A plugin of graphql-codegen; codegen.yml names the types.
const {
  Kind,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
} = require('graphql');

/** Scalars that the types name. */
const IDS = ['VariantId', 'ProductId'];

const describe = ({ description }) =>
  description ? `/** ${description.replace(/\s*\n\s*/g, ' ')} */\n` : '';
const objectType = (fields) => `{\n${fields.map((field) => `${field};\n`).join('')}}`;

/** Turns GraphQL types into text, given how named ones read. */
function createPrinter(schema, documents, { records, inputs, scalars }) {
  const fragments = new Map(
    documents
      .flatMap(({ document }) => document.definitions)
      .filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  );
  const recordOf = Object.fromEntries(Object.entries(records).map(([name, fragment]) => [fragment, name]));

  const namedType = (type, set) => {
    if (isScalarType(type)) return IDS.includes(type.name) ? type.name : scalars[type.name];
    if (isInputObjectType(type)) return type.name;
    if (isEnumType(type))
      return type
        .getValues()
        .map(({ name }) => `'${name}'`)
        .join(' | ');
    const [only] = set.selections;
    return recordOf[only.name.value] ?? objectType(selected(type, set));
  };
  const present = (type, set) => {
    const inner = getNullableType(type);
    if (!isListType(inner)) return namedType(inner, set);
    const element = print(inner.ofType, set);
    return element.includes(' | ') ? `(${element})[]` : `${element}[]`;
  };
  const print = (type, set) => (isNonNullType(type) ? present(type, set) : `${present(type, set)} | null`);

  const selected = (type, set) =>
    set.selections.flatMap((node) => {
      if (node.kind === Kind.FRAGMENT_SPREAD)
        return selected(type, fragments.get(node.name.value).selectionSet);
      const field = type.getFields()[node.name.value];
      return `${describe(field)}${field.name}: ${print(field.type, node.selectionSet)}`;
    });
  const taken = (type) =>
    Object.values(type.getFields()).map(
      (field) =>
        `${describe(field)}${field.name}${isNonNullType(field.type) ? '' : '?'}: ${print(field.type)}`,
    );
  const declare = (name, type, fields) => `${describe(type)}export type ${name} = ${objectType(fields)};`;

  return [
    ...IDS.map((name) => `${describe(schema.getType(name))}export type ${name} = ${scalars[name]};`),
    ...inputs.map((name) => declare(name, schema.getType(name), taken(schema.getType(name)))),
    ...Object.entries(records).map(([name, fragment]) => {
      const { typeCondition, selectionSet } = fragments.get(fragment);
      const type = schema.getType(typeCondition.name.value);
      return declare(name, type, selected(type, selectionSet));
    }),
  ];
}

module.exports.plugin = (schema, documents, config) => createPrinter(schema, documents, config).join('\n\n');
