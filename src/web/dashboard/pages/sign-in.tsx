import { signIn } from '../api.ts';
import type { SignedIn } from '../api.ts';
import { AS_TYPED, TextField } from '../parts/fields.tsx';
import { ActionForm } from '../parts/form.tsx';
import { LanguageSelect } from '../parts/language-select.tsx';
import { useAction, useText } from '../session.ts';
import { rich, t } from '../text.ts';

type Props = { reason: string; hasDemo: boolean; onSignedIn: (signedIn: SignedIn) => void };

export function SignIn({ reason, hasDemo, onSignedIn }: Props) {
  const pid = useText();
  const apiKey = useText();
  const check = useAction(async () => onSignedIn(await signIn(pid.value.trim(), apiKey.value.trim())));
  document.title = `${t('signIn.title')} · wishgate`;
  const pidHint = rich('signIn.pidHint', { operator: <span class="code">operator</span> });
  return (
    <main class="sign-in">
      <div class="card">
        <div class="brand">
          <span class="brand-mark" aria-hidden="true">
            ♥
          </span>
          <h1>{t('signIn.title')}</h1>
        </div>
        {reason && !check.error && (
          <p class="notice" role="status">
            {reason}
          </p>
        )}
        <ActionForm action={check} label={t(check.isBusy ? 'signIn.busy' : 'signIn.submit')}>
          <TextField label={t('signIn.pid')} {...pid} required {...AS_TYPED} hint={pidHint} />
          <TextField
            label={t('signIn.key')}
            type="password"
            {...apiKey}
            required
            autocomplete="off"
            hint={t('signIn.keyHint')}
          />
        </ActionForm>
        {hasDemo && (
          <form class="demo-door" method="post" action="/dashboard/demo">
            <p class="muted">{t('signIn.demo')}</p>
            <button type="submit" class="secondary outline">
              {t('signIn.openDemo')}
            </button>
          </form>
        )}
        <LanguageSelect />
      </div>
    </main>
  );
}
