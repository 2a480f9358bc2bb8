import { data } from 'react-router';
import { renew } from '../shopper.server';
import type { Route } from './+types/identity';

/** The browser asks here when the service no longer accepts its session. */
export async function action({ request }: Route.ActionArgs) {
  const { shopper, headers } = await renew(request);
  return data({ regid: shopper.regid, sessionid: shopper.sessionid }, { headers });
}
