import { useState } from 'preact/hooks';
import { Code } from './code.tsx';
import type { Answer, Call } from './model.ts';
import type { Outcome } from './request.ts';
import { SchemaFields, hasFields } from './schema.tsx';
import { useSettings } from './settings.ts';
import { Line, Text } from './text.tsx';

/** What came back, or what would. */
export function AnswerBox({
  call,
  outcome,
  failure,
  runs,
}: {
  call: Call;
  outcome: Outcome | null;
  failure: string;
  runs: number;
}) {
  return (
    <div class="answer" data-runs={runs}>
      <p class="status" role="status">
        {failure && <span class="bad">{failure}</span>}
        {outcome && (
          <>
            <span class={outcome.isOk ? 'good' : 'bad'} data-status={outcome.status}>
              {outcome.status} {outcome.isOk ? 'OK' : 'Failed'}
            </span>{' '}
            in {outcome.milliseconds} ms
          </>
        )}
      </p>
      <Code
        title={outcome ? 'Answer' : 'Example of an answer'}
        code={outcome?.body ?? call.answer.example}
        what={`answer of ${call.path}`}
      />
    </div>
  );
}

/** Every way to fail, by status. */
export function Failures({ failures }: { failures: Answer[] }) {
  return (
    <dl class="failures">
      {failures.map(({ status, description }) => {
        const [lead = '', ...types] = description.split('\n');
        return (
          <>
            <dt>{status}</dt>
            <dd>
              <p>
                <Line text={lead} />
              </p>
              <Text text={types.join('\n')} />
            </dd>
          </>
        );
      })}
    </dl>
  );
}

/** Fields of the answer, and every way to fail; filled when it is opened. */
export function AnswerDetails({ call }: { call: Call }) {
  const { schemas } = useSettings();
  const [isOpen, setOpen] = useState<{ answer?: boolean; failures?: boolean }>({});
  const { answer, failures } = call;
  return (
    <div class="details">
      {hasFields(answer.schema, schemas) && (
        <details onToggle={(event) => setOpen({ ...isOpen, answer: event.currentTarget.open })}>
          <summary>Answer: fields</summary>
          {isOpen.answer && <SchemaFields schema={answer.schema} />}
        </details>
      )}
      <details onToggle={(event) => setOpen({ ...isOpen, failures: event.currentTarget.open })}>
        <summary>Failures: {failures.map(({ status }) => status).join(', ')}</summary>
        {isOpen.failures && <Failures failures={failures} />}
      </details>
    </div>
  );
}
