import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { searchTopics } from './search.ts';
import type { Found, Topic } from './search.ts';

function useShortcut(focus: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      focus();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
}

export function Navigation({ topics, current }: { topics: Topic[]; current: string }) {
  const [search, setSearch] = useState('');
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const drawer = useRef<HTMLDivElement>(null);
  const found = useMemo(() => searchTopics(topics, search), [topics, search]);
  const isSearching = search.trim() !== '';

  useShortcut(() => {
    setOpen(true);
    input.current?.focus();
    // Focuses again on a narrow screen, where the drawer is rendered first.
    setTimeout(() => input.current?.focus());
  });

  useEffect(() => {
    const link = drawer.current?.querySelector('[aria-current]');
    if (link) drawer.current!.scrollTop += link.getBoundingClientRect().top - innerHeight / 3;
  }, [current]);

  const close = (): void => setOpen(false);
  const open = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isSearching && found[0]) location.hash = found[0].href;
    close();
  };
  const link = ({ href, label }: Topic, details?: Found) => (
    <a href={href} aria-current={href === current ? 'true' : undefined} onClick={close}>
      {label}
      {details && <small class="snippet">{details.group}</small>}
      {details?.snippet && (
        <small class="snippet">
          {details.snippet.before}
          <mark>{details.snippet.mark}</mark>
          {details.snippet.after}
        </small>
      )}
    </a>
  );
  const groups = [...new Set(topics.map(({ group }) => group))].map((name) => (
    <section>
      <h2>{name}</h2>
      {topics.filter(({ group }) => group === name).map((topic) => link(topic))}
    </section>
  ));
  return (
    <nav
      aria-label="Reference"
      class={isOpen ? 'side open' : 'side'}
      onKeyDown={(event) => event.key === 'Escape' && close()}
    >
      <button type="button" class="copy toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Contents and search
      </button>
      <div class="drawer" ref={drawer}>
        <form role="search" onSubmit={open}>
          <input
            ref={input}
            type="search"
            aria-label="Search calls, fields and guides"
            placeholder="Search (press /)"
            autocomplete="off"
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
          <p class="quiet" role="status">
            {isSearching && (found.length === 0 ? 'No results' : `${found.length} results`)}
          </p>
        </form>
        {isSearching ? found.map((topic) => link(topic, topic)) : groups}
      </div>
    </nav>
  );
}
