import { render } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import { createApi } from './api.ts';
import type { Run } from './api.ts';
import { SignIn } from './pages/sign-in.tsx';
import type { SignedIn } from './pages/sign-in.tsx';
import { Shell } from './shell.tsx';
import './styles.css';

type State = { signedIn: SignedIn; run: Run } | { reason: string };

/** Either the sign-in form or the dashboard. The key is in this component's memory and nowhere else. */
function App() {
  const [state, setState] = useState<State>({ reason: '' });
  const enter = useCallback((signedIn: SignedIn) => {
    const run = createApi(signedIn.credentials, () =>
      // A late refusal of a session that is over must not end the one that came after it.
      setState((now) =>
        'run' in now && now.run === run
          ? { reason: 'This key does not work any more. Sign in with another one.' }
          : now,
      ),
    );
    setState({ signedIn, run });
  }, []);
  const signOut = useCallback(() => setState({ reason: 'You are signed out.' }), []);
  if ('reason' in state) return <SignIn reason={state.reason} onSignedIn={enter} />;
  const { signedIn, run } = state;
  return (
    <Shell pid={signedIn.credentials.pid} storeName={signedIn.storeName} run={run} onSignOut={signOut} />
  );
}

render(<App />, document.getElementById('app')!);
