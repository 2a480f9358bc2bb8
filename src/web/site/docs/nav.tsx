import { useEffect, useRef, useState } from 'preact/hooks';
import { GUIDES } from '../../../../docs/guides/README.md';
import type { Area } from './model.ts';

type Entry = { href: string; label: string; text: string; note?: string };
type Group = { name: string; entries: Entry[] };

function groupsOf(areas: Area[]): Group[] {
  const start = [
    { href: '#/', label: 'Introduction', text: 'introduction' },
    { href: '#/credentials', label: 'Credentials', text: 'credentials' },
  ];
  const guides = GUIDES.map(({ id, title, blocks }) => ({
    href: `#/guide/${id}`,
    label: title,
    text: [title, ...blocks.map(({ text }) => text)].join(' '),
  }));
  const groups = areas.map(({ name, calls }) => ({
    name,
    entries: calls.map(({ operationId, method, path, summary, fields, deprecated }) => ({
      href: `#/${operationId}`,
      label: path.replace(/^\/(api|storeadmin)\/(v3\/|bispa\/)?/, ''),
      text: `${method} ${path} ${summary} ${fields.map((field) => field.name).join(' ')}`,
      note: deprecated ? 'older' : method.replace('POST', ''),
    })),
  }));
  return [{ name: 'Start', entries: start }, { name: 'Guides', entries: guides }, ...groups];
}

function matching(groups: Group[], search: string): Group[] {
  const words = search.toLowerCase().split(/\s+/);
  const isFound = ({ text }: Entry): boolean => words.every((word) => text.toLowerCase().includes(word));
  return groups
    .map(({ name, entries }) => ({ name, entries: entries.filter(isFound) }))
    .filter(({ entries }) => entries.length > 0);
}

export function Navigation({ areas, current }: { areas: Area[]; current: string }) {
  const [search, setSearch] = useState('');
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const groups = matching(groupsOf(areas), search);
  const found = groups.flatMap(({ entries }) => entries);

  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      setOpen(true);
      input.current?.focus();
      // Focuses again on a narrow screen, where the drawer is rendered first.
      setTimeout(() => input.current?.focus());
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);

  const close = (): void => setOpen(false);
  const open = (event: SubmitEvent): void => {
    event.preventDefault();
    if (search && found[0]) location.hash = found[0].href;
    close();
  };
  const link = ({ href, label, note }: Entry) => (
    <a href={href} aria-current={href === current ? 'true' : undefined} onClick={close}>
      {label}
      {note && <small> {note}</small>}
    </a>
  );
  return (
    <nav
      aria-label="Reference"
      class={isOpen ? 'side open' : 'side'}
      onKeyDown={(event) => event.key === 'Escape' && close()}
    >
      <button type="button" class="copy toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Contents and search
      </button>
      <div class="drawer">
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
          <p class="visually-hidden" role="status">
            {search && `${found.length} found`}
          </p>
        </form>
        {groups.map(({ name, entries }) => (
          <section>
            <h2>{name}</h2>
            {entries.map(link)}
          </section>
        ))}
        {found.length === 0 && <p class="quiet">Nothing has all of these words.</p>}
      </div>
    </nav>
  );
}
