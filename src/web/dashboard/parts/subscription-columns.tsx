import { formatMoment } from '../format.ts';
import { Badge } from './feedback.tsx';
import type { Column } from './layout.tsx';

type Subscription = { mediumvalue: string; topic: string; confirmed: boolean; cts: number };

export const SUBSCRIPTION = {
  contact: { label: 'Contact', cell: ({ mediumvalue }) => <span class="wrap">{mediumvalue}</span> },
  topic: { label: 'Topic', cell: ({ topic }) => topic },
  state: {
    label: 'State',
    cell: ({ confirmed }) =>
      confirmed ? <Badge tone="good">confirmed</Badge> : <Badge>to be confirmed</Badge>,
  },
  since: { label: 'Since', cell: ({ cts }) => formatMoment(cts) },
} satisfies Record<string, Column<Subscription>>;
