import { DEMO_SHOPPER } from './demo.ts';
import { Labelled } from './fields.tsx';
import type { Credentials } from './request.ts';
import { useSettings } from './settings.ts';
import { Text } from './text.tsx';

const FIELDS: [name: keyof Credentials, label: string, about: string][] = [
  ['pid', 'pid', 'The store id. It is public.'],
  ['apiKey', 'API key', 'Secret: it allows every store call, so keep it on your back end.'],
  ['regid', 'regid', 'The shopper id, from generate-regid.'],
  ['sessionid', 'sessionid', 'The shopper’s session, from the same response.'],
];

const ABOUT = {
  none: 'Fill these in once, and every call below uses them. This page stores nothing: when you leave it, they are gone.',
  open: `This page is on the same machine as the service, so the demo store’s key is filled in. The first call that you send creates the shopper \`${DEMO_SHOPPER}\` with three lists in the demo store. Until then, this page writes nothing.`,
  ready: `The demo store has the shopper \`${DEMO_SHOPPER}\` with three lists. You can send every call below as it is.`,
};

/** `error` says why the demo shopper could not be created. */
type Props = { onChange: (credentials: Credentials) => void; state: keyof typeof ABOUT; error: string };

export function CredentialsForm({ onChange, state, error }: Props) {
  const { credentials, setUp } = useSettings();
  return (
    <section id="credentials" aria-labelledby="credentials-title" data-demo={state}>
      <h2 id="credentials-title" tabIndex={-1}>
        Credentials
      </h2>
      <Text text={error ? `The demo shopper could not be created. ${error}` : ABOUT[state]} />
      {setUp && (
        <button type="button" class="copy" onClick={() => void setUp().catch(() => undefined)}>
          Create the demo shopper now
        </button>
      )}
      {FIELDS.map(([name, label, about]) => (
        <Labelled id={`credentials-${name}`} label={label} about={about}>
          <input
            id={`credentials-${name}`}
            aria-describedby={`credentials-${name}-about`}
            type="text"
            autocomplete="off"
            spellcheck={false}
            value={credentials[name]}
            onInput={(event) => onChange({ ...credentials, [name]: event.currentTarget.value.trim() })}
          />
        </Labelled>
      ))}
    </section>
  );
}
