/** The column of a field: where they differ, ours is in camel case and the database's has underscores. */
export function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The columns of these fields, each under its field's name. `table` is what the statement calls the model's table. */
export function columnsOf(table: string, fields: readonly string[]): string {
  return fields.map((field) => `${table}.${columnOf(field)} AS "${field}"`).join(', ');
}
