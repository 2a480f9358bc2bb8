/** The ids that the reference shows, by what they identify. */
const SHOWN = {
  pid: 'dGhlLXN0b3JlLWlkLWlzLTMyLWJ5dGVzLWxvbmchIQ==',
  regid: 'q3Jk7b2mXh0dR5vT8nYc1wEzLs4uPaGf6oKiB9tDxMy',
  sessionid: 'a1b2c3d4.Vn3kQ8sT1xL6mB0yR7cHdW2fJ9pZ5gUe',
  guest: 'Zt5mQ9wLx2cVb7yNk1pRsHd8fGj4aTeU0oKiC6uEwPv',
  lid: 'Xb2kY0cWm7eT4aQf9sLh1g',
  tolid: 'Rk5vQ1tZ8bN3xC6jD0pWuA',
  id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  token: 'eyJhbGciOiJSUzI1NiIsImtpZCI6ImZpcnN0In0.eyJpc3MiOiJodHRwcyJ9.c2lnbmF0dXJl',
  webhookId: 'b1f0c5a2-3c55-4c1e-9d0e-2f6a7b8c9d10',
};

/** The real ids of a prepared store, under the names of `SHOWN`. */
export type Ids = Partial<Record<keyof typeof SHOWN, string>>;

/** Puts real ids in the places of those that the reference shows, also in JSON texts. */
export function withRealIds<Value>(value: Value, ids: Ids): Value {
  let text = JSON.stringify(value);
  for (const [name, id] of Object.entries(ids)) text = text.replaceAll(SHOWN[name as keyof Ids], id);
  return JSON.parse(text) as Value;
}

const RANDOM_ID = 'Qm4nT8wZr1cVb6yLk0pXsD';
/** The service's hash of the sample product in the sample store, as items have it. */
const PRODUCT_HASH = '8yAnRGQQbj5Pp3OH8JLLrrPQPJLghENVkZDgbN72xzo=';
const CURSOR = 'MTc2NzIyNTYwMDAwMDow';

/** What the service makes up by chance, or reads from the clock of the database, by field name. */
const MADE_UP: Record<string, unknown> = {
  ...{ regid: SHOWN.regid, sessionid: SHOWN.sessionid, pid: PRODUCT_HASH, uid: RANDOM_ID, di: RANDOM_ID },
  ...{ id: 'Hn2sV5tYq8bXc1dRk7mWzA', subject: 'e7Jm2xPq9cKd4vTn6wRz1s', lhash: '5f1d7a84c2b09e36' },
  ...{ cursor: CURSOR, startCursor: CURSOR, endCursor: CURSOR, rev: '42', seq: 1, cts: 1_767_225_600_000 },
  ...{
    uuid: '3f0c6a52-9d0e-4a67-8a3c-5b1f7f0d2e11',
    apiKey: 'YOUR_API_KEY',
    secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    keyId: SHOWN.webhookId,
    hint: '9tDxMy',
  },
};

const isShown = (value: unknown): boolean => Object.values<unknown>(SHOWN).includes(value);
const [MAX_TEXT, MAX_ROWS] = [160, 3];

function shown(value: unknown, key: string): unknown {
  const other = MADE_UP[key];
  if (typeof value !== 'string') return typeof value === typeof other && value !== null ? other : value;
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(value) && key === 'id') return SHOWN.id;
  if (typeof other === 'string' && !value.includes(' ') && !isShown(value)) return other;
  return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
}

/** Shortens long arrays and texts, and shows what is made up as the reference does. */
function allShown(value: unknown, key = ''): unknown {
  if (Array.isArray(value))
    return value.slice(value.length > MAX_ROWS ? -2 : 0).map((inner) => allShown(inner, key));
  if (typeof value !== 'object' || value === null) return shown(value, key);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, allShown(inner, name)]));
}

/** A response as the reference shows it. */
export function asShown(body: unknown, ids: Ids): unknown {
  let text = JSON.stringify(body);
  for (const [name, id] of Object.entries(ids)) {
    const instead = SHOWN[name as keyof Ids];
    text = text.replaceAll(id, instead).replaceAll(encodeURIComponent(id), encodeURIComponent(instead));
  }
  const made = [...text.matchAll(/"lid":"([^"]+)"/g)].map(([, lid]) => lid!).find((lid) => !isShown(lid));
  return allShown(JSON.parse(made ? text.replaceAll(made, SHOWN.lid) : text));
}

/** A CSV file as the reference shows it. */
export function csvAsShown(text: string): string {
  const [columns = '', ...rows] = text.split('\r\n').slice(0, -1);
  // A random id may begin with a minus sign, which spreadsheets would read as a formula without the apostrophe.
  const named = rows.map((row) =>
    row.replace(/^[\w-]{36},/, `${SHOWN.id},`).replace(/^'?[\w-]{22},/, `${RANDOM_ID},`),
  );
  return [columns, ...named.slice(rows.length > MAX_ROWS ? -2 : 0), ''].join('\r\n');
}
