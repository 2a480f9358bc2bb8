import { redirect } from 'react-router';
import { logIn } from '../shopper.server';
import type { Route } from './+types/login';

export async function action({ request }: Route.ActionArgs) {
  const form = await request.formData();
  const { headers } = await logIn(request, String(form.get('email') ?? ''));
  return redirect('/list', { headers });
}
