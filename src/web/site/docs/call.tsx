import { useMemo, useState } from 'preact/hooks';
import { Code } from './code.tsx';
import { firstValues } from './demo.ts';
import { Fields } from './fields.tsx';
import type { Call, Caller } from './model.ts';
import { PREPARATIONS } from './prepare.ts';
import { requestOf, send } from './request.ts';
import type { Values } from './request.ts';
import { ResponseBox } from './response.tsx';
import type { Run } from './response.tsx';
import { sampleOf } from './samples.ts';
import { SchemaFields } from './schema.tsx';
import { LANGUAGES, useSettings } from './settings.ts';
import { Text } from './text.tsx';

const CALLERS: Record<Caller, string> = {
  shopper: 'Call it from the storefront: `pid` in the query string, `regid` and `sessionid` in the form.',
  anybody:
    'Call it from the storefront with `pid` in the query string. A public list needs nothing else; its owner adds `regid` and `sessionid` in the form.',
  store: 'Call it from your back end with HTTP Basic: `pid` and an API key.',
  storeForShopper:
    'Call it from your back end with HTTP Basic: `pid` and an API key. Send the shopper’s `regid` in the form.',
};

/** The fields of a call and its last run. Input of the reader is never replaced. */
function useCall(call: Call) {
  const { credentials, demo, setUp, address } = useSettings();
  const [edited, setEdited] = useState<Values>({});
  const [prepared, setPrepared] = useState<Values>({});
  const [run, setRun] = useState<Run>({ count: 0, isBusy: false, result: null, error: '' });
  const first = useMemo(() => firstValues(call, demo, address), [call, demo, address]);
  const values = { ...first, ...prepared, ...edited };
  const preparation = (demo ?? setUp) && PREPARATIONS[call.operationId];

  const execute = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (run.isBusy) return;
    setRun({ ...run, isBusy: true });
    const done = { count: run.count + 1, isBusy: false, result: null, error: '' };
    try {
      const ready = demo ?? (await setUp?.()) ?? null;
      const fresh = ready && preparation ? await preparation.run(ready, address) : {};
      setPrepared(fresh);
      const sent = { ...firstValues(call, ready, address), ...fresh, ...edited };
      const isNew = ready !== null && demo === null;
      const result = await send(requestOf(call, sent, isNew ? ready.credentials : credentials));
      setRun({ ...done, result });
    } catch (error) {
      setRun({ ...done, error: `No response: ${String(error)}` });
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

export function CallBody({ call }: { call: Call }) {
  const { values, edit, run, execute, preparation } = useCall(call);
  const hasKeyboard = matchMedia('(width >= 800px) and (hover: hover)').matches;
  const sendByKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void execute(event);
  };
  return (
    <div class="call" onKeyDown={sendByKey}>
      <div>
        {call.description !== call.summary && <Text text={call.description} />}
        <div class="quiet">
          <Text text={`${CALLERS[call.caller]} [Credentials](#/credentials) · [Errors](#/errors)`} />
        </div>
        <SchemaFields summary="Response fields" schema={call.response.schema} />
        <form aria-label={`Send ${call.path}`} onSubmit={(event) => void execute(event)}>
          <Fields call={call} values={values} result={run.result} edit={edit} />
          {preparation && <p class="prepare quiet">Before it sends, this page {preparation.says}.</p>}
          <div class="send">
            <button type="submit" class="button" aria-disabled={run.isBusy}>
              {run.isBusy ? 'Sending…' : 'Send'}
              <span class="visually-hidden"> {call.path}</span>
            </button>{' '}
            {hasKeyboard && <span class="quiet">or press Ctrl+Enter</span>}
          </div>
        </form>
      </div>
      <div class="try">
        <Samples call={call} values={values} />
        <ResponseBox call={call} run={run} />
      </div>
    </div>
  );
}
