import { createElement, useState } from 'react';
import type { ReactElement } from 'react';
import { WishgateProvider, useActions, useIsInList, useLists, useNotifyMe } from '@wishgate/react';
import type { WishgateProviderProps } from '@wishgate/react';

/** What the tests read of a page. */
export type Observed = { renders: Record<string, number>; errors: string[] };

const page = globalThis as { observed?: Observed };
export const observed = (): Observed => (page.observed ??= { renders: {}, errors: [] });

const count = (name: string): void => {
  const { renders } = observed();
  renders[name] = (renders[name] ?? 0) + 1;
};

const product = (epi: number) => ({
  epi,
  empi: epi * 10,
  du: `https://shop.example/p/${epi}`,
  dt: `Product ${epi}`,
});

function Tile({ epi }: { epi: number }): ReactElement {
  count(`tile ${epi}`);
  const isSaved = useIsInList(epi);
  const { toggle } = useActions();
  return createElement(
    'button',
    { id: `heart-${epi}`, 'aria-pressed': isSaved, onClick: () => void toggle(product(epi)) },
    isSaved ? `Remove ${epi}` : `Save ${epi}`,
  );
}

function Lists(): ReactElement {
  count('lists');
  const { undo } = useActions();
  const rows = useLists()?.map(({ lid, lname, cnt }) =>
    createElement('li', { key: lid }, `${lname}: ${cnt}`),
  );
  return createElement(
    'section',
    {},
    createElement('ul', {}, rows ?? 'Loading'),
    createElement('button', { id: 'undo', onClick: () => void undo() }, 'Undo'),
  );
}

function NotifyMe(): ReactElement {
  const { status, subscribe } = useNotifyMe();
  const [email, setEmail] = useState('');
  return createElement(
    'form',
    {
      onSubmit: (event: { preventDefault: () => void }) => {
        event.preventDefault();
        void subscribe(product(1), { mediumvalue: email });
      },
    },
    createElement('input', {
      value: email,
      onChange: (event: { target: { value: string } }) => setEmail(event.target.value),
    }),
    createElement('button', { id: 'notify' }, 'Notify me'),
    createElement('output', {}, status),
  );
}

/** A shop whose page is rendered on a server and in a browser. */
export function Shop(props: Omit<WishgateProviderProps, 'onError'>): ReactElement {
  return createElement(
    WishgateProvider,
    { ...props, onError: ({ message }) => void observed().errors.push(message) },
    ...[1, 2, 3, 4].map((epi) => createElement(Tile, { epi, key: epi })),
    createElement(Lists, { key: 'lists' }),
    createElement(NotifyMe, { key: 'notify' }),
  );
}
