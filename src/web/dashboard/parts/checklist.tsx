import { SetupStepsDocument } from '../../../generated/dashboard.ts';
import type { SetupStepsQuery } from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { hrefTo } from '../route.ts';
import { usePolling, useQuery } from '../session.ts';
import { Card } from './layout.tsx';

const REFRESH_MS = 10_000;

type Steps = Answered<SetupStepsQuery>;

const STEPS: { title: string; how: string; href: string; isDone: (steps: Steps) => boolean }[] = [
  {
    title: 'Send your products',
    how: 'Connect Shopify, or post them to /storeadmin/v3/products/upsert.',
    href: hrefTo('integrations'),
    isDone: ({ setup }) => setup.products,
  },
  {
    title: 'Identify a shopper',
    how: 'Your back end asks for a regid at /storeadmin/v3/user/generate-regid.',
    href: '/docs',
    isDone: ({ setup }) => setup.shoppers,
  },
  {
    title: 'Save to a first list',
    how: 'A heart in your shop that calls the browser client.',
    href: '/docs',
    isDone: ({ setup }) => setup.lists,
  },
  {
    title: 'Set up mail',
    how: 'Until then, messages are kept as files on the server.',
    href: hrefTo('integrations'),
    // The demo store sends no real messages, whatever its settings.
    isDone: ({ integrations, store }) =>
      store.isDemo || integrations.some(({ kind, state }) => kind === 'email' && state === 'active'),
  },
  {
    title: 'Send a first alert',
    how: 'Restock something that somebody waits for, or send a topic by hand.',
    href: hrefTo('topics'),
    isDone: ({ setup }) => setup.alerts,
  },
];

export function Checklist() {
  const steps = useQuery(SetupStepsDocument, {});
  usePolling(steps, REFRESH_MS);
  if (steps.data === null) return null;
  const { data } = steps;
  const list = STEPS.map(({ isDone, ...step }) => ({ ...step, isDone: isDone(data) }));
  const done = list.filter(({ isDone }) => isDone).length;
  if (done === STEPS.length) return null;
  return (
    <Card title="Getting started" note={`${done} of ${STEPS.length} done. The list goes away by itself.`}>
      <ol class="plain-list checklist">
        {list.map(({ title, how, href, isDone }) => (
          <li key={title} class={isDone ? 'is-done' : undefined}>
            <span class="tick" aria-hidden="true">
              {isDone && '✓'}
            </span>
            <span>
              {isDone ? title : <a href={href}>{title}</a>}
              <span class={isDone ? 'visually-hidden' : 'muted'}>{isDone ? ' (done)' : how}</span>
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
