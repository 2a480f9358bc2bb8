/** Makes one value for each database, such as the loaders that its requests share, and drops it together with the database. */
export function oncePerDatabase<Services extends { db: object }, Value>(
  make: (services: Services) => Value,
): (services: Services) => Value {
  const made = new WeakMap<object, Value>();
  return (services) => {
    const known = made.get(services.db);
    if (known !== undefined) return known;
    const value = make(services);
    made.set(services.db, value);
    return value;
  };
}
