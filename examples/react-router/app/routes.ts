import { index, route } from '@react-router/dev/routes';
import type { RouteConfig } from '@react-router/dev/routes';

export default [
  index('routes/home.tsx'),
  route('list', 'routes/list.tsx'),
  route('identity', 'routes/identity.ts'),
  route('login', 'routes/login.ts'),
] satisfies RouteConfig;
