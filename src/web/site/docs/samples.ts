import { clientCalls } from './client-samples.ts';
import type { Call, GraphqlOperation } from './model.ts';
import { addressOf, basicHeader, json, parsed, requestOf } from './request.ts';
import type { Credentials, Request, Values } from './request.ts';
import type { Settings } from './settings.ts';

/** A piece of code to copy; `title` describes it if a sample has several. */
type Piece = { title?: string; code: string };

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function toCurl({ method, form, headers, basic }: Request, url: string, body = ''): string {
  const fields = Object.entries(form).map(([name, value]) =>
    shellQuoted(`${name}=${/^[[{]/.test(value) ? value.replace(/\n\s*/g, '') : value}`),
  );
  return [
    `curl ${shellQuoted(url)}`,
    ...(basic ? [`-u ${shellQuoted(basic)}`] : []),
    ...Object.entries(headers).map((header) => `-H ${shellQuoted(header.join(': '))}`),
    ...fields.map((field) => `--data-urlencode ${field}`),
    ...(method === 'POST' && fields.length === 0 ? [`-d ${shellQuoted(body)}`] : []),
  ].join(' \\\n  ');
}

function toFetch({ response }: Call, { method, form, headers, basic }: Request, url: string): string {
  const all = basic ? { authorization: basicHeader(basic), ...headers } : headers;
  const body = method === 'POST' ? `  body: new URLSearchParams(${json(form)}),\n` : '';
  return `${basic ? '// On your back end: the API key must never reach a browser.\n' : ''}const response = await fetch('${url}', {
  method: '${method}',
  headers: ${json(all)},
${body}});
console.log(response.status, await response.${response.type === 'text/csv' ? 'text' : 'json'}());`;
}

/** The browser library, with an identity as a back end would return it. */
const toClient = (calls: string, address: string, { pid, regid, sessionid }: Credentials): string =>
  `// <script src="${address}/client/wishgate.js"></script>
const client = wishgate.init({
  baseUrl: ${json(address)},
  pid: ${json(pid)},
  // Your back end gets these from generate-regid.
  identify: () => (${json({ regid, sessionid })}),
});

${calls}`;

function variablesOf({ fields, 'x-graphql': graphql }: Call, values: Values): Record<string, unknown> {
  const variables: Record<string, unknown> = {};
  for (const { name, kind, place, schema } of fields) {
    const value = values[name];
    if (!value || place === 'header' || schema.description?.startsWith('Another name of')) continue;
    const input = graphql.inputs[name];
    const target = input ? ((variables[input] ??= {}) as Record<string, unknown>) : variables;
    target[name] = kind === 'text' ? value : parsed(value);
  }
  for (const [name, value] of Object.entries(graphql.fixed)) if (value !== null) variables[name] = value;
  return variables;
}

function graphqlHeaders({ caller }: Call, { basic, headers }: Request, credentials: Credentials): Values {
  const { pid, regid, sessionid } = credentials;
  if (basic === null) return { 'x-pid': pid, 'x-regid': regid, 'x-sessionid': sessionid, ...headers };
  const shopper = caller === 'storeForShopper' && { 'x-regid': regid };
  return { authorization: basicHeader(basic), ...shopper, ...headers };
}

const withPlaceholders = ({ pid, apiKey, regid, sessionid }: Credentials): Credentials => ({
  pid: pid || 'YOUR_PID',
  apiKey: apiKey || 'YOUR_API_KEY',
  regid: regid || 'YOUR_REGID',
  sessionid: sessionid || 'YOUR_SESSIONID',
});

export function sampleOf(call: Call, values: Values, settings: Settings): Piece[] {
  const { language, address } = settings;
  const credentials = withPlaceholders(settings.credentials);
  const request = requestOf(call, values, credentials);
  const url = address + addressOf(request);
  if (language === 'curl') return [{ code: toCurl(request, url) }];
  if (language === 'JavaScript') {
    const calls = clientCalls(call, values);
    return [{ code: calls ? toClient(calls, address, credentials) : toFetch(call, request, url) }];
  }
  const headers = json(graphqlHeaders(call, request, credentials));
  return [
    { title: 'Document', code: call['x-graphql'].query },
    { title: 'Variables', code: json(variablesOf(call, values)) },
    { title: `Headers of POST ${address}/graphql`, code: headers },
  ];
}

/** An operation over GraphQL, with a list of the demo shopper if it is known. */
export function curlOf({ kind, caller, query, variables }: GraphqlOperation, settings: Settings): string {
  const { pid, apiKey, regid, sessionid } = withPlaceholders(settings.credentials);
  const basic = { shopper: null, store: `${pid}:${apiKey}`, operator: 'operator:YOUR_OPERATOR_KEY' }[caller];
  const session = basic === null && { 'x-pid': pid, 'x-regid': regid, 'x-sessionid': sessionid };
  const accept = kind === 'subscription' && { accept: 'text/event-stream' };
  const headers = { 'content-type': 'application/json', ...accept, ...session };
  const own = settings.demo && 'lid' in variables && { lid: settings.demo.lid };
  const body = json({ query: query.replace(/\s+/g, ' '), variables: { ...variables, ...own } });
  const path = accept ? '/graphql/stream' : '/graphql';
  return toCurl({ method: 'POST', path, query: {}, form: {}, headers, basic }, settings.address + path, body);
}
