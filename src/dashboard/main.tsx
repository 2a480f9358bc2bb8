import { render } from 'preact';
import { useCallback, useMemo, useState } from 'preact/hooks';
import { createApi } from './api.ts';
import type { Run } from './api.ts';
import { SignIn } from './pages/sign-in.tsx';
import type { SignedIn } from './pages/sign-in.tsx';
import { Shell } from './shell.tsx';
import './styles.css';

type State = { signedIn: SignedIn; run: Run } | null;

/** Either the sign-in form or the dashboard. The key is in this component's memory and nowhere else. */
function App() {
  const [state, setState] = useState<State>(null);
  const [reason, setReason] = useState('');
  const leave = useCallback((why: string) => {
    setReason(why);
    setState(null);
  }, []);
  const enter = useCallback(
    (signedIn: SignedIn) => {
      const run = createApi(signedIn.credentials, () =>
        leave('This key does not work any more. Sign in with another one.'),
      );
      setReason('');
      setState({ signedIn, run });
    },
    [leave],
  );
  const signOut = useMemo(() => () => leave('You are signed out.'), [leave]);
  if (state === null) return <SignIn reason={reason} onSignedIn={enter} />;
  const { signedIn, run } = state;
  return (
    <Shell pid={signedIn.credentials.pid} storeName={signedIn.storeName} run={run} onSignOut={signOut} />
  );
}

render(<App />, document.getElementById('app')!);
