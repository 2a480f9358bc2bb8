import { render } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { createApi, readSession, signOut } from './api.ts';
import type { ApiError, SessionResponse, SignedIn, StoreInfo } from './api.ts';
import { SignIn } from './pages/sign-in.tsx';
import { hrefTo } from './route.ts';
import { Shell } from './shell.tsx';
import { t } from './text.ts';
import './styles.css';

/** A tab remembers the operator's chosen store under this key; it is not a credential. */
const CHOSEN = 'wishgate-store';

/** `turn` distinguishes one session from the next. */
type Entered = { step: 'in'; signedIn: SignedIn; turn: object; hasSignedIn: boolean };
type State = { step: 'asking' } | { step: 'out'; reason: string } | Entered;

function remember(store: StoreInfo | null): void {
  if (store === null) sessionStorage.removeItem(CHOSEN);
  else sessionStorage.setItem(CHOSEN, store.pid);
}

/** A closed store does not lock its operator out. */
async function findSession(): Promise<SessionResponse> {
  const chosen = sessionStorage.getItem(CHOSEN);
  try {
    return await readSession(chosen);
  } catch (error) {
    if (chosen === null || (error as ApiError).type !== 'maintenance') throw error;
    remember(null);
    return readSession(null);
  }
}

function Inside({ state, setState }: { state: Entered; setState: (change: (now: State) => State) => void }) {
  const { signedIn, turn, hasSignedIn } = state;
  const { isOperator, store } = signedIn;
  const pid = store?.pid ?? null;
  const leave = useCallback(
    (reason: string) => {
      remember(null);
      // A late rejection of an ended session must not end the next one.
      setState((now) => (now.step === 'in' && now.turn === turn ? { step: 'out', reason } : now));
    },
    [turn, setState],
  );
  const api = useMemo(
    () => createApi(isOperator ? pid : null, () => leave(t('session.ended'))),
    [isOperator, pid, leave],
  );
  const operator = useMemo(() => {
    if (!isOperator) return null;
    const choose = (chosen: StoreInfo): void => {
      remember(chosen);
      location.hash = hrefTo('overview');
      setState(() => ({ step: 'in', signedIn: { isOperator, store: chosen }, turn, hasSignedIn: true }));
    };
    return { ...createApi(null, () => leave(t('session.ended'))), choose };
  }, [isOperator, turn, leave, setState]);
  return (
    <Shell
      key={pid ?? ''}
      store={store}
      api={api}
      operator={operator}
      hasSignedIn={hasSignedIn}
      onSignOut={async () => {
        await signOut();
        leave(t('session.signedOut'));
      }}
    />
  );
}

function App() {
  const [state, setState] = useState<State>({ step: 'asking' });
  const [hasDemo, setDemo] = useState(false);
  useEffect(() => {
    findSession().then(
      (answer) => {
        setDemo(answer.hasDemo);
        const signedIn = answer.session;
        setState(
          signedIn ? { step: 'in', signedIn, turn: {}, hasSignedIn: false } : { step: 'out', reason: '' },
        );
      },
      (error: unknown) => setState({ step: 'out', reason: (error as Error).message }),
    );
  }, []);
  if (state.step === 'asking') return <div class="sign-in" aria-busy="true" />;
  if (state.step === 'in') return <Inside state={state} setState={setState} />;
  return (
    <SignIn
      reason={state.reason}
      hasDemo={hasDemo}
      onSignedIn={(signedIn) => setState({ step: 'in', signedIn, turn: {}, hasSignedIn: true })}
    />
  );
}

render(<App />, document.getElementById('app')!);
