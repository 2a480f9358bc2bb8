import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { searchTopics } from './search.ts';
import type { Part, Topic } from './search.ts';

export function Navigation({ parts, current }: { parts: Part[]; current: string }) {
  const [search, setSearch] = useState('');
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const drawer = useRef<HTMLDivElement>(null);
  const found = useMemo(() => searchTopics(parts, search), [parts, search]);
  const isSearching = search.trim() !== '';

  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select');
      const isCommand = event.ctrlKey || event.metaKey;
      if (isCommand ? event.key !== 'k' : event.key !== '/' || isTyping) return;
      event.preventDefault();
      setOpen(true);
      input.current?.focus();
      // Focuses again on a narrow screen, where the drawer is rendered first.
      setTimeout(() => input.current?.focus());
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);
  useEffect(() => {
    const link = drawer.current?.querySelector('[aria-current]');
    if (link) drawer.current!.scrollTop += link.getBoundingClientRect().top - innerHeight / 3;
  }, [current]);

  const close = (): void => setOpen(false);
  const move = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      setSearch('');
      close();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const places = [...drawer.current!.querySelectorAll<HTMLElement>('input, summary, [open] a, form ~ a')];
    places[places.indexOf(document.activeElement as HTMLElement) + step]?.focus();
  };
  const open = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isSearching && found[0]) location.hash = found[0].topic.href;
    close();
  };
  const link = ({ href, title, note = '' }: Topic, details: ComponentChildren = null) => (
    <a href={href} aria-current={href === current ? 'true' : undefined} onClick={close}>
      {title} {note.startsWith('GraphQL') && <small class="note">GraphQL</small>}
      {details}
    </a>
  );
  const groups = parts.map(({ name, topics }) => (
    <details open={topics.some(({ href }) => href === current)}>
      <summary>
        <h2>{name}</h2>
      </summary>
      {topics.map((topic) => link(topic))}
    </details>
  ));
  const results = found.map(({ topic, part, snippet: { before, mark, after } }) =>
    link(
      topic,
      <small class="snippet">
        {part}: {before}
        <mark>{mark}</mark>
        {after}
      </small>,
    ),
  );
  return (
    <nav aria-label="Reference" class={isOpen ? 'side open' : 'side'} onKeyDown={move}>
      <button type="button" class="copy toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Contents and search
      </button>
      <div class="drawer" ref={drawer}>
        <form role="search" onSubmit={open}>
          <input
            ref={input}
            type="search"
            aria-label="Search calls, fields and guides"
            placeholder="Search (/ or Ctrl+K)"
            autocomplete="off"
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
          <p class="quiet" role="status">
            {isSearching &&
              (found.length === 0
                ? 'No results. Try one word, a field or a path: stock, lid or lists/create.'
                : `Results: ${found.length}`)}
          </p>
        </form>
        {isSearching ? results : groups}
      </div>
    </nav>
  );
}
