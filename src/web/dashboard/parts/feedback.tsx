import type { ComponentChildren } from 'preact';
import type { MessageState } from '../../../generated/dashboard.ts';
import type { ApiError } from '../api.ts';
import type { Query } from '../session.ts';
import { Button } from './layout.tsx';

export function ErrorNotice({ error, onRetry }: { error: ApiError | null; onRetry?: () => void }) {
  if (error === null) return null;
  return (
    <div class="notice notice-bad" role="alert">
      <span>{error.message}</span>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <p>{children}</p>}
    </div>
  );
}

type LoadedProps<Data> = { query: Query<Data>; lines?: number; children: (data: Data) => ComponentChildren };

/** Shows a placeholder while loading, an error if there is no data, and older data during a reload. */
export function Loaded<Data>({ query, lines = 3, children }: LoadedProps<Data>) {
  const { data, error, isLoading, reload } = query;
  return (
    <>
      <ErrorNotice error={error} onRetry={reload} />
      {data === null && isLoading && <Skeleton lines={lines} />}
      {data !== null && <div aria-busy={isLoading ? 'true' : undefined}>{children(data)}</div>}
    </>
  );
}

export function Skeleton({ lines }: { lines: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="visually-hidden">Loading</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class="skeleton-line" />
      ))}
    </div>
  );
}

type Tone = 'plain' | 'good' | 'warn' | 'bad';

/** The colour adds nothing to the meaning of the text. */
export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}

const TONES: Record<MessageState, Tone> = { queued: 'plain', sent: 'good', failed: 'bad', withheld: 'warn' };

export function StateBadge({ state, children = state }: { state: MessageState; children?: string }) {
  return <Badge tone={TONES[state]}>{children}</Badge>;
}

export function CellNote({ children }: { children: ComponentChildren }) {
  return <span class="muted cell-note">{children}</span>;
}
