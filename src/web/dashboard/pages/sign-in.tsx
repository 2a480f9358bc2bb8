import { signIn } from '../api.ts';
import type { SignedIn } from '../api.ts';
import { AS_TYPED, TextField } from '../parts/fields.tsx';
import { ActionForm } from '../parts/form.tsx';
import { useAction, useText } from '../session.ts';

type Props = { reason: string; hasDemo: boolean; onSignedIn: (signedIn: SignedIn) => void };

export function SignIn({ reason, hasDemo, onSignedIn }: Props) {
  const pid = useText();
  const apiKey = useText();
  const check = useAction(async () => onSignedIn(await signIn(pid.value.trim(), apiKey.value.trim())));
  const pidHint = (
    <>
      Do you run this service? Then it is <span class="code">operator</span>.
    </>
  );
  return (
    <main class="sign-in">
      <div class="card">
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
        <ActionForm action={check} label={check.isBusy ? 'Signing in' : 'Sign in'}>
          <TextField label="Store id (pid)" {...pid} required {...AS_TYPED} hint={pidHint} />
          <TextField
            label="API key"
            type="password"
            {...apiKey}
            required
            autocomplete="off"
            hint="The key is kept nowhere in this browser. You stay signed in for eight hours, or until you sign out."
          />
        </ActionForm>
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
