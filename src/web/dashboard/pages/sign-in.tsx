import { signIn } from '../api.ts';
import type { SignedIn } from '../api.ts';
import { AS_TYPED, TextField } from '../parts/fields.tsx';
import { ErrorNotice } from '../parts/layout.tsx';
import { useAction, useText } from '../session.ts';

type Props = { reason: string; hasDemo: boolean; onSignedIn: (signedIn: SignedIn) => void };

export function SignIn({ reason, hasDemo, onSignedIn }: Props) {
  const pid = useText();
  const apiKey = useText();
  const check = useAction(async () => onSignedIn(await signIn(pid.value.trim(), apiKey.value.trim())));
  return (
    <main class="sign-in">
      <div class="card">
        <form
          autocomplete="off"
          onSubmit={(event) => {
            event.preventDefault();
            check.start();
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
            {...pid}
            required
            {...AS_TYPED}
            hint={
              <>
                Do you run this service? Then it is <span class="code">operator</span>.
              </>
            }
          />
          <TextField
            label="API key"
            type="password"
            {...apiKey}
            required
            autocomplete="off"
            hint="The key is kept nowhere in this browser. You stay signed in for eight hours, or until you sign out."
          />
          <ErrorNotice error={check.error} />
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
