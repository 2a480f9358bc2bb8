import { clientCall } from './client-samples.ts';
import { literal, quoted } from './literal.ts';
import type { Call, Field } from './model.ts';
import { addressOf, basicHeader, requestOf } from './request.ts';
import type { Credentials, Request, Values } from './request.ts';

/** A piece of code to copy. `title` says what it is where a sample has several. */
export type Piece = { title: string | null; language: string; code: string };

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** JSON without its line breaks; other text as it is. */
function compact({ kind }: Pick<Field, 'kind'>, value: string): string {
  if (kind !== 'json') return value;
  try {
    return JSON.stringify(JSON.parse(value));
  } catch {
    return value;
  }
}

function kindsOf(call: Call): Map<string, Field> {
  return new Map(call.fields.map((field) => [field.name, field]));
}

function toCurl(call: Call, request: Request, address: string): string {
  const kinds = kindsOf(call);
  const lines = [
    `curl ${request.basic ? `-u ${shellQuoted(request.basic.join(':'))} ` : ''}${shellQuoted(address + addressOf(request))}`,
    ...request.headers.map((header) => `-H ${shellQuoted(header.join(': '))}`),
    ...request.form.map(
      ([name, value]) =>
        `--data-urlencode ${shellQuoted(`${name}=${compact(kinds.get(name) ?? { kind: 'text' }, value)}`)}`,
    ),
    ...(request.method === 'POST' && request.form.length === 0 ? [`-d ''`] : []),
  ];
  return lines.join(' \\\n  ');
}

function formLine(field: Field | undefined, name: string, value: string): string {
  const parsed = field?.kind === 'json' ? parsedOr(value) : undefined;
  return `    ${name}: ${parsed === undefined ? quoted(value) : `JSON.stringify(${literal(parsed, '    ')})`},`;
}

function parsedOr(value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return undefined;
  }
}

function toFetch(call: Call, request: Request, address: string): string {
  const kinds = kindsOf(call);
  const headers = [
    ...(request.basic ? [`authorization: 'Basic ' + btoa(${quoted(request.basic.join(':'))})`] : []),
    ...request.headers.map(([name, value]) => `${quoted(name)}: ${quoted(value)}`),
  ];
  const options = [
    ...(request.method === 'POST' ? [`  method: 'POST',`] : []),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(', ')} },`] : []),
    ...(request.method === 'POST'
      ? [
          '  body: new URLSearchParams({',
          ...request.form.map(([name, value]) => formLine(kinds.get(name), name, value)),
          '  }),',
        ]
      : []),
  ];
  const where = quoted(address + addressOf(request));
  const reading = call.answer.type === 'text/csv' ? 'text' : 'json';
  return [
    ...(request.basic ? ['// On your back end: the API key never reaches a browser.'] : []),
    options.length > 0
      ? `const answer = await fetch(${where}, {\n${options.join('\n')}\n});`
      : `const answer = await fetch(${where});`,
    `console.log(answer.status, await answer.${reading}());`,
  ].join('\n');
}

/** The library, with an identity that a back end would answer. */
function toClient(line: string, address: string, { pid, regid, sessionid }: Credentials): string {
  return `// <script src="${address}/client/wishgate.js"></script>
const client = wishgate.init({
  baseUrl: ${quoted(address)},
  pid: ${quoted(pid)},
  // Your back end answers these, from generate-regid.
  identify: () => ({
    regid: ${quoted(regid)},
    sessionid: ${quoted(sessionid)},
  }),
});

${line}`;
}

function variableOf({ kind }: Field, value: string): unknown {
  if (kind === 'integer') return Number(value);
  if (kind === 'flag') return value === 'true';
  return kind === 'json' ? (parsedOr(value) ?? value) : value;
}

/** The variables of the document that answers the same. */
export function variablesOf(call: Call, values: Values): Record<string, unknown> {
  const { inputs, fixed } = call.graphql;
  const variables: Record<string, unknown> = {};
  for (const field of call.fields) {
    const value = values[field.name];
    if (!value || field.place === 'header' || field.description.startsWith('Another name of')) continue;
    const input = inputs[field.name];
    const place = input ? ((variables[input] ??= {}) as Record<string, unknown>) : variables;
    place[field.name] = variableOf(field, value);
  }
  for (const [name, value] of Object.entries(fixed)) if (value !== null) variables[name] = value;
  return variables;
}

function graphqlHeaders(call: Call, request: Request, credentials: Credentials): Record<string, string> {
  const { pid, regid, sessionid } = credentials;
  const own = Object.fromEntries(request.headers);
  if (request.basic === null) return { 'x-pid': pid, 'x-regid': regid, 'x-sessionid': sessionid, ...own };
  const shopper: Record<string, string> = call.caller === 'storeForShopper' ? { 'x-regid': regid } : {};
  return { authorization: basicHeader(request.basic), ...shopper, ...own };
}

/** The same call in every way, with what stands in its fields now. */
export function samplesOf(
  call: Call,
  values: Values,
  credentials: Credentials,
  address: string,
): Record<'curl' | 'JavaScript' | 'GraphQL', Piece[]> {
  const request = requestOf(call, values, credentials);
  const line = clientCall(call, values);
  const json = (value: unknown): string => JSON.stringify(value, null, 2);
  return {
    curl: [{ title: null, language: 'bash', code: toCurl(call, request, address) }],
    JavaScript: [
      {
        title: null,
        language: 'js',
        code: line ? toClient(line, address, credentials) : toFetch(call, request, address),
      },
    ],
    GraphQL: [
      { title: 'Document', language: 'graphql', code: call.graphql.query },
      { title: 'Variables', language: 'json', code: json(variablesOf(call, values)) },
      {
        title: `Headers of POST ${address}/graphql`,
        language: 'json',
        code: json(graphqlHeaders(call, request, credentials)),
      },
    ],
  };
}
