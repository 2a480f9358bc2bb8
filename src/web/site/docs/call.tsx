import { useMemo, useState } from 'preact/hooks';
import { Code, Details } from './code.tsx';
import { firstValues } from './demo.ts';
import { Fields } from './fields.tsx';
import type { Call, Caller } from './model.ts';
import { PREPARATIONS } from './prepare.ts';
import { requestOf, send } from './request.ts';
import type { Values } from './request.ts';
import { Errors, ResponseBox } from './response.tsx';
import type { Run } from './response.tsx';
import { sampleOf } from './samples.ts';
import { SchemaFields } from './schema.tsx';
import { LANGUAGES, useSettings } from './settings.ts';
import { Text } from './text.tsx';

const CALLERS: Record<Caller, string> = {
  shopper: 'A shopper’s browser calls it: `pid` in the query, `regid` and `sessionid` in the form.',
  anybody:
    'Anybody may call it for a public list, with `pid` in the query; the owner adds `regid` and `sessionid` in the form.',
  store: 'The store’s back end calls it: Basic with the `pid` and an API key.',
  storeForShopper:
    'The store’s back end calls it for a shopper: Basic with the `pid` and an API key, `regid` in the form.',
};

/** The fields of a call and its last run. Input of the reader is never replaced. */
function useCall(call: Call) {
  const { credentials, demo, address } = useSettings();
  const [edited, setEdited] = useState<Values>({});
  const [prepared, setPrepared] = useState<Values>({});
  const [run, setRun] = useState<Run>({ count: 0, isBusy: false, result: null, error: '' });
  const first = useMemo(() => firstValues(call, demo, address), [call, demo, address]);
  const values = { ...first, ...prepared, ...edited };
  const preparation = demo && PREPARATIONS[call.operationId];

  const execute = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (run.isBusy) return;
    setRun({ ...run, isBusy: true });
    const done = { count: run.count + 1, isBusy: false, result: null, error: '' };
    try {
      const fresh = preparation ? await preparation.run(demo, address) : {};
      setPrepared(fresh);
      const result = await send(requestOf(call, { ...values, ...fresh, ...edited }, credentials));
      setRun({ ...done, result });
    } catch (error) {
      setRun({ ...done, error: `No answer: ${String(error)}` });
    }
  };
  const edit = (name: string, value: string): void => setEdited((now) => ({ ...now, [name]: value }));
  return { values, edit, run, execute, preparation };
}

function Samples({ call, values }: { call: Call; values: Values }) {
  const settings = useSettings();
  const { language, chooseLanguage } = settings;
  const group = `${call.operationId}-language`;
  const choices = LANGUAGES.map((name) => (
    <label>
      <input type="radio" name={group} checked={name === language} onChange={() => chooseLanguage(name)} />{' '}
      {name}
    </label>
  ));
  return (
    <div class="sample">
      <fieldset aria-label={`${call.path} as code`}>{choices}</fieldset>
      {sampleOf(call, values, settings).map(({ title, code }) => (
        <Code title={title} code={code} what={`${title ?? language} of ${call.path}`} />
      ))}
    </div>
  );
}

export function CallSection({ call }: { call: Call }) {
  const { values, edit, run, execute, preparation } = useCall(call);
  const id = call.operationId;
  return (
    <section class="call" id={id} aria-labelledby={`${id}-title`}>
      <div>
        <h3 id={`${id}-title`} tabIndex={-1}>
          <a href={`#/${id}`}>{call.summary}</a>
        </h3>
        <p class="method">{`${call.method} ${call.path}`}</p>
        {call.deprecated && <p class="quiet">An older name; it answers the same.</p>}
        {call.description !== call.summary && <Text text={call.description} />}
        <div class="quiet">
          <Text text={`${CALLERS[call.caller]} [Credentials](#/credentials)`} />
        </div>
        <SchemaFields summary="Answer: fields" schema={call.response.schema} />
        <Details summary={`Failures: ${call.errors.map(({ status }) => status).join(', ')}`}>
          {() => <Errors errors={call.errors} />}
        </Details>
        <form aria-label={`Run ${call.path}`} onSubmit={(event) => void execute(event)}>
          <Fields call={call} values={values} edit={edit} />
          {preparation && <p class="prepare">Before it runs, this page {preparation.says}.</p>}
          <button type="submit" class="execute" aria-disabled={run.isBusy}>
            {run.isBusy ? 'Running…' : 'Execute'}
            <span class="visually-hidden"> {call.path}</span>
          </button>
        </form>
      </div>
      <div class="try">
        <ResponseBox call={call} run={run} />
        <Samples call={call} values={values} />
      </div>
    </section>
  );
}
