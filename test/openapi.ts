import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { createOpenApi } from '../src/api/openapi/document.ts';
import type { OpenApi } from '../src/api/openapi/document.ts';
import { sharedSchema } from '../src/api/graphql/schema.ts';
import { routes } from '../src/api/rest/routes.ts';
import { fromSetup } from './setup/run.ts';

let made: OpenApi | null = null;

/** The document that the service serves, made by the first test file of a run: it takes most of a second. */
export function openApi(): OpenApi {
  if (made) return made;
  const file = join(fromSetup('folder'), 'openapi.json');
  if (!existsSync(file)) {
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(createOpenApi(sharedSchema(), routes)));
    renameSync(`${file}.${process.pid}`, file);
  }
  return (made = JSON.parse(readFileSync(file, 'utf8')) as OpenApi);
}

type Node = { [key: string]: unknown };

/** Forbids keys that a schema does not name: clients may meet them, our own answers may not hold them. */
function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close);
  if (typeof value !== 'object' || value === null) return value;
  const node: Node = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, close(inner)]));
  return node['type'] === 'object' && node['properties'] ? { additionalProperties: false, ...node } : node;
}

const ROOT = 'https://wishgate.test/openapi.json';
let ajv: Ajv2020 | null = null;

/** Schemas may refer into the document, which is therefore registered whole. */
function validator(): Ajv2020 {
  if (ajv) return ajv;
  ajv = new Ajv2020({ strict: false, allErrors: true, verbose: false });
  (formats as unknown as (target: Ajv2020) => void)(ajv);
  ajv.addSchema({ $id: ROOT, components: close(openApi().components) });
  return ajv;
}

const compiled = new Map<string, ValidateFunction>();

/** Compiles a schema of the document; `key` names it. */
export function validateWith(key: string, schema: object): ValidateFunction {
  const known = compiled.get(key);
  if (known) return known;
  const text = JSON.stringify(close(schema)).replaceAll('"#/components', `"${ROOT}#/components`);
  const validate = validator().compile(JSON.parse(text) as object);
  compiled.set(key, validate);
  return validate;
}

/** What is wrong with the payload of a webhook by the API reference; null if it is as described. */
export function eventFaults(payload: { type: string }): unknown {
  type Webhooks = Record<string, { post: { requestBody: { content: Record<string, { schema: object }> } } }>;
  const { post } = (openApi()['webhooks'] as Webhooks)[payload.type]!;
  const validate = validateWith(payload.type, post.requestBody.content['application/json']!.schema);
  validate(payload);
  return validate.errors ?? null;
}

/** Throws unless this answer of a REST call is what the API reference says; other paths pass. */
export function expectMatchesOpenApi(method: string, address: string, status: number, body: unknown): void {
  const path = address.split('?')[0]!.replace(/(.)\/$/, '$1');
  const operation = openApi().paths[path]?.[method.toLowerCase()];
  if (operation === undefined) return;
  const responses = operation['responses'] as Record<string, Node>;
  const response = responses[String(status)];
  if (response === undefined)
    throw new Error(`${method} ${path} answered ${status}, which its reference does not know`);
  const reference = response['$ref'] as string | undefined;
  const components = openApi().components as { responses: Record<string, Node> };
  const found = reference ? components.responses[reference.split('/').at(-1)!]! : response;
  const json = (found['content'] as Record<string, { schema: object }>)['application/json'];
  // A file is not read as a body.
  if (json === undefined) return;
  const { schema } = json;
  const validate = validateWith(reference ?? `${method} ${path} ${status}`, schema);
  if (validate(body)) return;
  const problems = (validate.errors ?? [])
    .slice(0, 5)
    .map(
      ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
    );
  throw new Error(
    `${method} ${path} ${status} does not match its reference:\n${problems.join('\n')}\n${JSON.stringify(body).slice(0, 500)}`,
  );
}
