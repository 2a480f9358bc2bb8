import { useMemo, useState } from 'preact/hooks';
import { AnswerBox, AnswerDetails } from './answers.tsx';
import { Code, CopyButton, Tabs } from './code.tsx';
import { firstValues } from './demo.ts';
import { Fields } from './fields.tsx';
import type { Call, Caller } from './model.ts';
import { PREPARATIONS } from './prepare.ts';
import { requestOf, send } from './request.ts';
import type { Outcome, Values } from './request.ts';
import { samplesOf } from './samples.ts';
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

type State = {
  edited: Values;
  made: Values;
  outcome: Outcome | null;
  failure: string;
  isBusy: boolean;
  /** How many answers came so far. */
  runs: number;
};

/** Fields, preparation and answer of one call. What somebody typed is never replaced. */
function useCall(call: Call) {
  const { credentials, demo, address } = useSettings();
  const [doesPrepare, setPrepare] = useState(true);
  const [state, setState] = useState<State>({
    edited: {},
    made: {},
    outcome: null,
    failure: '',
    isBusy: false,
    runs: 0,
  });
  const first = useMemo(() => firstValues(call, demo, address), [call, demo, address]);
  const values = { ...first, ...state.made, ...state.edited };
  const preparation = demo ? PREPARATIONS[call.id] : undefined;

  const execute = async (): Promise<void> => {
    setState((now) => ({ ...now, isBusy: true, failure: '' }));
    try {
      const made = doesPrepare && demo && preparation ? await preparation.run(demo, address) : {};
      const sent = { ...values, ...made, ...state.edited };
      const outcome = await send(requestOf(call, sent, credentials));
      setState((now) => ({
        ...now,
        made: { ...now.made, ...made },
        outcome,
        isBusy: false,
        runs: now.runs + 1,
      }));
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      setState((now) => ({
        ...now,
        outcome: null,
        failure: `No answer: ${failure}`,
        isBusy: false,
        runs: now.runs + 1,
      }));
    }
  };
  const edit = (name: string, value: string): void =>
    setState((now) => ({ ...now, edited: { ...now.edited, [name]: value } }));
  return { ...state, values, edit, execute, preparation, doesPrepare, setPrepare };
}

/** The call as code, with what stands in its fields. */
function Samples({ call, values }: { call: Call; values: Values }) {
  const { credentials, address, language, chooseLanguage } = useSettings();
  const pieces = samplesOf(call, values, credentials, address)[language];
  return (
    <Tabs label={`${call.path} as code`} names={LANGUAGES} chosen={language} onChoose={chooseLanguage}>
      {pieces.map(({ title, code }) => (
        <Code title={title} code={code} what={`${title ?? language} of ${call.path}`} />
      ))}
    </Tabs>
  );
}

/** One call: what it is for, its fields, code for it, and what it answers. */
export function CallSection({ call }: { call: Call }) {
  const { values, edit, execute, isBusy, outcome, failure, runs, preparation, doesPrepare, setPrepare } =
    useCall(call);
  return (
    <section class="call" id={call.id} aria-labelledby={`${call.id}-title`}>
      <div class="about">
        <h3 id={`${call.id}-title`} tabIndex={-1}>
          <a href={`#/${call.id}`}>{call.summary}</a>
        </h3>
        <p class="route">
          <span class="method">{call.method}</span> <code>{call.path}</code>
          <CopyButton text={call.path} what={`path ${call.path}`} />
        </p>
        {call.isOlder && <p class="quiet">An older name; it answers the same.</p>}
        {call.description !== call.summary && <Text text={call.description} />}
        <div class="quiet">
          <Text text={`${CALLERS[call.caller]} [Credentials](#/credentials)`} />
        </div>
        <form
          aria-label={`Run ${call.path}`}
          onSubmit={(event) => {
            event.preventDefault();
            if (!isBusy) void execute();
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
              event.currentTarget.requestSubmit();
          }}
        >
          <Fields call={call} values={values} edit={edit} />
          {preparation && (
            <label class="prepare">
              <input
                type="checkbox"
                checked={doesPrepare}
                onChange={(event) => setPrepare(event.currentTarget.checked)}
              />
              <span>Before it runs, this page {preparation.says}.</span>
            </label>
          )}
          <button type="submit" class="execute" aria-disabled={isBusy}>
            {isBusy ? 'Running…' : 'Execute'}
            <span class="visually-hidden"> {call.path}</span>
          </button>
        </form>
        <AnswerDetails call={call} />
      </div>
      <div class="try">
        <Samples call={call} values={values} />
        <AnswerBox call={call} outcome={outcome} failure={failure} runs={runs} />
      </div>
    </section>
  );
}
