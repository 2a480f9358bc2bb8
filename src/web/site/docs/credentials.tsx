import type { Credentials } from './request.ts';

const FIELDS: [name: keyof Credentials, label: string, about: string][] = [
  ['pid', 'pid', 'The store. It is public.'],
  ['apiKey', 'API key', 'Opens all store calls. It belongs on a back end.'],
  ['regid', 'regid', 'The shopper, as generate-regid answered.'],
  ['sessionid', 'sessionid', 'The shopper’s session, from the same answer.'],
];

/** How the demo store's examples are coming along. */
export type DemoState =
  | { kind: 'none' }
  | { kind: 'waiting' }
  | { kind: 'ready' }
  | { kind: 'failed'; why: string };

function About({ state, shopper }: { state: DemoState; shopper: string }) {
  if (state.kind === 'none')
    return (
      <p>
        Fill these in once, and every call below uses them. They stay in this page’s memory: nothing is
        stored, and leaving the page forgets them.
      </p>
    );
  if (state.kind === 'waiting') return <p>The demo store’s examples are being made ready…</p>;
  if (state.kind === 'failed')
    return <p class="bad">The demo store’s examples could not be made: {state.why}</p>;
  return (
    <p>
      You opened this on the machine that runs the service, so the demo store’s are filled in. This page
      identified itself as its shopper <code>{shopper}</code> and made three lists for the examples. Every
      call below can be executed as it stands.
    </p>
  );
}

/** Who calls, told once for the whole page. */
export function CredentialsForm({
  credentials,
  onChange,
  state,
  shopper,
}: {
  credentials: Credentials;
  onChange: (credentials: Credentials) => void;
  state: DemoState;
  shopper: string;
}) {
  return (
    <section id="credentials" class="card" aria-labelledby="credentials-title" data-demo={state.kind}>
      <h2 id="credentials-title" tabIndex={-1}>
        Credentials
      </h2>
      <About state={state} shopper={shopper} />
      <div class="credentials">
        {FIELDS.map(([name, label, about]) => (
          <div class="field">
            <div class="field-head">
              <label for={`credentials-${name}`}>{label}</label>
            </div>
            <p id={`credentials-${name}-about`}>{about}</p>
            <input
              id={`credentials-${name}`}
              aria-describedby={`credentials-${name}-about`}
              type="text"
              autocomplete="off"
              spellcheck={false}
              value={credentials[name]}
              onInput={(event) => onChange({ ...credentials, [name]: event.currentTarget.value.trim() })}
            />
          </div>
        ))}
      </div>
    </section>
  );
}
