import { GUIDES } from '../../../../docs/guides/README.md';
import { CallBody } from './call.tsx';
import { Code } from './code.tsx';
import { areasOf, textOf } from './model.ts';
import type { Document, GraphqlOperation } from './model.ts';
import { json } from './request.ts';
import { Errors } from './response.tsx';
import { curlOf } from './samples.ts';
import { SchemaFields } from './schema.tsx';
import { fieldsIn } from './search.ts';
import type { Part } from './search.ts';
import { useSettings } from './settings.ts';
import { Text } from './text.tsx';

const GRAPHQL_CALLERS: Record<GraphqlOperation['caller'], string> = {
  store: 'send HTTP Basic with the `pid` and an API key.',
  shopper: 'send the headers `x-pid`, `x-regid` and `x-sessionid`.',
  operator: 'send HTTP Basic with the user name `operator` and an operator key.',
};
const ABOUT_ERRORS =
  'Every error has the same body. Check `type` in your code; `msg` explains the problem to a developer. The [guide](#/guide/errors) shows how to handle them.';
const ABOUT_EVENTS =
  'Your server receives a signed POST for each event that a webhook subscribes to. The [guide](#/guide/webhooks) shows how to add a webhook and check its signature.';

/** The parts of the contents whose text is at the top of the page, or on a page of its own. */
export const START: Part[] = [
  {
    name: 'Start',
    topics: [
      { href: '#/', title: 'Introduction', pieces: [] },
      { href: '#/credentials', title: 'Credentials', pieces: ['pid, API key, regid and sessionid'] },
    ],
  },
  {
    name: 'Guides',
    topics: GUIDES.map(({ id, title, blocks }) => ({
      href: `#/guide/${id}`,
      title,
      pieces: blocks.map(({ text }) => text),
    })),
  },
];

function OperationBody(operation: GraphqlOperation) {
  const settings = useSettings();
  const { kind, query, caller, args, description, response } = operation;
  const variables = query.includes('$') ? json(operation.variables) : '';
  const place =
    kind === 'subscription' ? '`/graphql/stream`, which responds with server-sent events' : '`POST /graphql`';
  const link = new URLSearchParams({ query, variables, caller }).toString();
  return (
    <div class="call">
      <div>
        <Text
          text={`${description}\n\nOver GraphQL only: ${place}; ${GRAPHQL_CALLERS[caller]}\n\n[Open in GraphiQL](/graphiql#${link})`}
        />
        <SchemaFields summary="Arguments" schema={args} isSent />
      </div>
      <div class="try">
        <Code title="Document" code={query} what="Document" />
        {variables && <Code title="Variables" code={variables} what="Variables" />}
        <Code title="curl" code={curlOf(operation, settings)} what="curl" />
        {response && <Code title="Sample response" code={json(response)} what="Sample response" />}
      </div>
    </div>
  );
}

/** The single source of the sections, the navigation and the search. */
export function partsOf(reference: Document): Part[] {
  const { schemas } = reference.components;
  const areas = areasOf(reference);
  const { errors } = areas[0]!.calls[0]!;
  const operations = reference['x-graphql-operations'].map((operation) => ({
    tag: operation.tag,
    href: `#/graphql/${operation.kind === 'subscription' ? 'live-' : ''}${operation.name}`,
    title: operation.title,
    note: `GraphQL ${operation.kind} ${operation.name}`,
    pieces: [operation.description, operation.name, ...fieldsIn(operation.args, schemas)],
    body: () => <OperationBody {...operation} />,
  }));
  const calls = areas.map(({ name, description: about, calls: all }) => ({
    name,
    about,
    topics: [
      ...all.map((call) => ({
        href: `#/${call.operationId}`,
        title: call.summary,
        note: `${call.method} ${call.path}`,
        pieces: [
          call.description,
          call.path,
          ...call.fields.flatMap(({ name: field, schema }) => [
            `${field}: ${schema.description ?? ''}`,
            ...fieldsIn(schema, schemas),
          ]),
          ...fieldsIn(call.response.schema, schemas),
        ],
        body: () => <CallBody call={call} />,
      })),
      ...operations.filter(({ tag }) => tag === name),
    ],
  }));
  const types = {
    href: '#/errors',
    title: 'Error types by status',
    pieces: errors.flatMap(({ description }) => description.split('\n')),
    body: () => <Errors errors={errors} />,
  };
  const events = Object.entries(reference.webhooks).map(([type, { post }]) => {
    const { schema, example } = post.requestBody.content['application/json']!;
    return {
      href: `#/webhook/${type}`,
      title: post.summary,
      note: type,
      pieces: [type, ...fieldsIn(schema, schemas)],
      body: () => (
        <>
          <SchemaFields summary="Payload fields" schema={schema} />
          <Code title="Sample payload" code={textOf(example, true)} what={`payload of ${type}`} />
        </>
      ),
    };
  });
  return [
    ...calls,
    { name: 'Errors', about: ABOUT_ERRORS, topics: [types] },
    { name: 'Webhook events', about: ABOUT_EVENTS, topics: events },
  ];
}
