import { useState } from 'preact/hooks';
import { signIn } from '../api.ts';
import type { SignedIn } from '../api.ts';
import { Failure } from '../parts/feedback.tsx';
import { TextField } from '../parts/fields.tsx';
import { useAction } from '../session.ts';

/** Asks for the store id and an API key, or for an operator's, and has the service check them. */
export function SignIn({
  reason,
  hasDemo,
  onSignedIn,
}: {
  reason: string;
  hasDemo: boolean;
  onSignedIn: (signedIn: SignedIn) => void;
}) {
  const [pid, setPid] = useState('');
  const [apiKey, setApiKey] = useState('');
  const check = useAction(async () => onSignedIn(await signIn(pid.trim(), apiKey.trim())));
  return (
    <main class="sign-in">
      <div class="card">
        <form
          autocomplete="off"
          onSubmit={(event) => {
            event.preventDefault();
            void check.start();
          }}
        >
          <div class="brand">
            <span class="brand-mark" aria-hidden="true">
              ♥
            </span>
            <h1>Merchant dashboard</h1>
          </div>
          {reason && !check.error && (
            <p class="notice" role="status">
              {reason}
            </p>
          )}
          <TextField
            label="Store id (pid)"
            value={pid}
            onValue={setPid}
            required
            autocomplete="off"
            spellcheck={false}
            autoCapitalize="off"
            hint={
              <>
                Do you run this service? Then it is <span class="code">operator</span>.
              </>
            }
          />
          <TextField
            label="API key"
            type="password"
            value={apiKey}
            onValue={setApiKey}
            required
            autocomplete="off"
            hint="The key is kept nowhere in this browser. You stay signed in for eight hours, or until you sign out."
          />
          <Failure error={check.error} />
          <button type="submit" aria-busy={check.isBusy} disabled={check.isBusy}>
            {check.isBusy ? 'Signing in' : 'Sign in'}
          </button>
        </form>
        {hasDemo && (
          <form class="demo-door" method="post" action="/dashboard/demo">
            <p class="muted">Only looking around?</p>
            <button type="submit" class="secondary outline">
              Open the demo store
            </button>
          </form>
        )}
      </div>
    </main>
  );
}
