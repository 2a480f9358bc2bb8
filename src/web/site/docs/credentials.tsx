import { DEMO_SHOPPER } from './demo.ts';
import { Labelled } from './fields.tsx';
import type { Credentials } from './request.ts';
import { Text } from './text.tsx';

const FIELDS: [name: keyof Credentials, label: string, about: string][] = [
  ['pid', 'pid', 'The store. It is public.'],
  ['apiKey', 'API key', 'Opens all store calls. It belongs on a back end.'],
  ['regid', 'regid', 'The shopper, as generate-regid answered.'],
  ['sessionid', 'sessionid', 'The shopper’s session, from the same answer.'],
];

const ABOUT = {
  none: 'Fill these in once, and every call below uses them. They stay in this page’s memory: nothing is stored, and leaving the page forgets them.',
  waiting: 'The demo store’s examples are being made ready…',
  ready: `You opened this on the machine that runs the service, so the demo store’s are filled in. This page identified itself as its shopper \`${DEMO_SHOPPER}\` and made three lists for the examples. Every call below can be executed as it stands.`,
};

type Props = {
  credentials: Credentials;
  onChange: (credentials: Credentials) => void;
  state: keyof typeof ABOUT;
  /** Why the examples could not be created. */
  error: string;
};

export function CredentialsForm({ credentials, onChange, state, error }: Props) {
  return (
    <section id="credentials" aria-labelledby="credentials-title" data-demo={state}>
      <h2 id="credentials-title" tabIndex={-1}>
        Credentials
      </h2>
      <Text text={error ? `The demo store’s examples could not be made: ${error}` : ABOUT[state]} />
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
