import { Code, Entry } from './code.tsx';
import type { ErrorRow, GraphqlOperation, WebhookEvent } from './model.ts';
import { json } from './request.ts';
import { SchemaFields, typeName } from './schema.tsx';
import { Line, Text } from './text.tsx';

const CALLERS: Record<GraphqlOperation['caller'], string> = {
  store: 'Send HTTP Basic with the `pid` and an API key.',
  shopper: 'Send the headers `x-pid`, `x-regid` and `x-sessionid`.',
  operator: 'Send the key of an operator.',
};

const KINDS = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' };

export function graphiqlLink({ query, variables, caller }: GraphqlOperation): string {
  const hash = new URLSearchParams({ query, variables: json(variables), caller });
  return `/graphiql#${hash.toString()}`;
}

export const GraphqlEntry = ({ operation }: { operation: GraphqlOperation }) => (
  <Entry
    path={`graphql/${operation.name}`}
    title={operation.title}
    note={`${KINDS[operation.kind]} ${operation.name}`}
  >
    {() => <OperationBody operation={operation} />}
  </Entry>
);

function OperationBody({ operation }: { operation: GraphqlOperation }) {
  const { title, description, caller, args, query, variables } = operation;
  const hasVariables = Object.keys(variables).length > 0;
  return (
    <div class="call">
      <div>
        <Text text={`${description}\n\n${CALLERS[caller]}`} />
        {args.length > 0 && <h4>Arguments</h4>}
        <ul class="schema">
          {args.map(({ name, required, schema }) => (
            <li>
              <code>{name}</code>{' '}
              <span class="quiet">
                {typeName(schema)}
                {required && ', required'}
              </span>
              <Text text={schema.description ?? ''} />
              <SchemaFields summary={`Fields of \`${name}\``} schema={schema} isSent />
            </li>
          ))}
        </ul>
        <p>
          <a href={graphiqlLink(operation)}>Open in GraphiQL</a>
        </p>
      </div>
      <div class="try">
        <Code title="Document" code={query} what={`document of ${title}`} />
        {hasVariables && <Code title="Variables" code={json(variables)} what={`variables of ${title}`} />}
      </div>
    </div>
  );
}

export const EventEntry = ({ event: { type, summary, schema, example } }: { event: WebhookEvent }) => (
  <Entry path={`webhook/${type}`} title={summary} note={type}>
    {() => (
      <div class="call">
        <div>
          <SchemaFields summary="Payload fields" schema={schema} />
        </div>
        <Code title="Sample payload" code={example} what={`payload of ${type}`} />
      </div>
    )}
  </Entry>
);

export const ErrorTable = ({ rows }: { rows: ErrorRow[] }) => (
  <table>
    <thead>
      <tr>
        <th scope="col">Status</th>
        <th scope="col">Type</th>
        <th scope="col">Meaning</th>
      </tr>
    </thead>
    <tbody>
      {rows.map(({ status, type, meaning }) => (
        <tr>
          <td>{status}</td>
          <td>
            <code>{type}</code>
          </td>
          <td>
            <Line text={meaning} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
