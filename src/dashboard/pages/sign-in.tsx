import { useState } from 'preact/hooks';
import { SignInDocument } from '../../generated/dashboard.ts';
import { createApi } from '../api.ts';
import type { Credentials } from '../api.ts';
import { Failure } from '../parts/feedback.tsx';
import { TextField } from '../parts/fields.tsx';
import { useAction } from '../session.ts';

/** Who came in. */
export type SignedIn = { credentials: Credentials; storeName: string };

/** Asks for the store id and an API key, and checks them before anything is shown. */
export function SignIn({ reason, onSignedIn }: { reason: string; onSignedIn: (signedIn: SignedIn) => void }) {
  const [pid, setPid] = useState('');
  const [apiKey, setApiKey] = useState('');
  const check = useAction(async () => {
    const credentials = { pid: pid.trim(), apiKey: apiKey.trim() };
    const { store } = await createApi(credentials)(SignInDocument, {});
    onSignedIn({ credentials, storeName: store.name });
  });
  return (
    <main class="sign-in">
      <form
        class="card"
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
        />
        <TextField
          label="API key"
          type="password"
          value={apiKey}
          onValue={setApiKey}
          required
          autocomplete="off"
          hint="Kept in this tab's memory only: a reload signs you out."
        />
        <Failure error={check.error} />
        <button type="submit" aria-busy={check.isBusy} disabled={check.isBusy}>
          {check.isBusy ? 'Signing in' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}
