import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api.ts';
import type { Query } from '../session.ts';

/** A failure in words; with `onRetry` one can try again. */
export function Failure({ error, onRetry }: { error: ApiError | null; onRetry?: () => void }) {
  if (error === null) return null;
  return (
    <div class="notice notice-bad" role="alert">
      <span>{error.message}</span>
      {onRetry && (
        <button type="button" class="small secondary outline" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Says that there is nothing, and what would change that. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <p>{children}</p>}
    </div>
  );
}

/** Shows data once it is there: a placeholder before, the failure when there is none, older data dimmed meanwhile. */
export function Loaded<Data>({
  query,
  lines = 3,
  children,
}: {
  query: Query<Data>;
  lines?: number;
  children: (data: Data) => ComponentChildren;
}) {
  const { data, error, isLoading, reload } = query;
  return (
    <>
      <Failure error={error} onRetry={reload} />
      {data === null && isLoading && <Skeleton lines={lines} />}
      {data !== null && (
        <div class={isLoading ? 'is-reloading' : undefined} aria-busy={isLoading ? 'true' : undefined}>
          {children(data)}
        </div>
      )}
    </>
  );
}

function Skeleton({ lines }: { lines: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="visually-hidden">Loading</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class="skeleton-line" />
      ))}
    </div>
  );
}

/** A word with a colour; the word alone says it all. */
export function Badge({
  tone = 'plain',
  children,
}: {
  tone?: 'plain' | 'good' | 'warn' | 'bad';
  children: ComponentChildren;
}) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}
