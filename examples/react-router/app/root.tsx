import { init } from '@wishgate/client';
import type { Identity } from '@wishgate/client';
import { WishgateProvider } from '@wishgate/react';
import { loadWishgate } from '@wishgate/react/server';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Form, Link, Links, Meta, Outlet, Scripts, data } from 'react-router';
import type { Route } from './+types/root';
import { shopperOf, store } from './shopper.server';

export async function loader({ request }: Route.LoaderArgs) {
  const { shopper, headers } = await shopperOf(request);
  const { regid, sessionid, email } = shopper;
  const identity = { regid, sessionid };
  const snapshot = await loadWishgate({ ...store, identity });
  return data({ store, identity, email, snapshot }, { headers });
}

export const meta: Route.MetaFunction = () => [{ title: 'Wood shop' }];

export function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        <Meta />
        <Links />
      </head>
      <body>
        {children}
        <Scripts />
      </body>
    </html>
  );
}

async function askServer(): Promise<Identity> {
  const response = await fetch('/identity', { method: 'POST' });
  if (!response.ok) throw new Error(`/identity returned ${response.status}`);
  return (await response.json()) as Identity;
}

/** The browser's client acts as whom the server rendered the page for, until the service no longer accepts the session. */
function useClient({ store: { baseUrl, pid }, identity }: Route.ComponentProps['loaderData']) {
  const given = useRef<Identity | null>(identity);
  const [client] = useState(() => {
    const identify = async () => {
      const first = given.current;
      given.current = null;
      return first ?? askServer();
    };
    return init({ baseUrl, pid, identify });
  });
  const regid = useRef(identity.regid);
  useEffect(() => {
    if (regid.current === identity.regid) return;
    regid.current = identity.regid;
    given.current = identity;
    void client.refreshIdentity();
  }, [client, identity]);
  return client;
}

export default function Shop({ loaderData }: Route.ComponentProps) {
  const client = useClient(loaderData);
  return (
    <WishgateProvider client={client} snapshot={loaderData.snapshot}>
      <header>
        <nav aria-label="Shop">
          <Link to="/">Products</Link> <Link to="/list">List</Link>
        </nav>
        {loaderData.email === null ? (
          <Form method="post" action="/login">
            <label>
              Email <input name="email" type="email" autoComplete="email" required />
            </label>
            <button>Log in</button>
          </Form>
        ) : (
          <p>Logged in as {loaderData.email}</p>
        )}
      </header>
      <main>
        <Outlet />
      </main>
    </WishgateProvider>
  );
}
