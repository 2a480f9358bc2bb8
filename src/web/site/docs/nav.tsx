import { useEffect, useRef, useState } from 'preact/hooks';
import type { Guide } from './guides.ts';
import type { Area, Call } from './model.ts';

/** A path without what all have in common. */
const shortPath = (path: string): string => path.replace(/^\/(api|storeadmin)\/(v3\/|bispa\/)?/, '');

type Entry = { href: string; label: string; isCode: boolean; text: string; note: string };
type Group = { name: string; entries: Entry[] };

const callEntry = ({ id, method, path, summary, fields, isOlder }: Call): Entry => ({
  href: `#/${id}`,
  label: shortPath(path),
  isCode: true,
  text: `${method} ${path} ${summary} ${fields.map(({ name }) => name).join(' ')}`.toLowerCase(),
  note: isOlder ? 'older' : method === 'GET' ? 'GET' : '',
});

function groupsOf(areas: Area[], guides: Guide[]): Group[] {
  const entry = (href: string, label: string, text = ''): Entry => ({
    href,
    label,
    isCode: false,
    text: `${label} ${text}`.toLowerCase(),
    note: '',
  });
  return [
    { name: 'Start', entries: [entry('#/', 'Introduction'), entry('#/credentials', 'Credentials')] },
    { name: 'Guides', entries: guides.map(({ id, title, text }) => entry(`#/guide/${id}`, title, text)) },
    ...areas.map(({ name, calls }) => ({ name, entries: calls.map(callEntry) })),
  ];
}

/** Every word must be there, in any order. */
function matching(groups: Group[], search: string): Group[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return groups
    .map(({ name, entries }) => ({
      name,
      entries: entries.filter(({ text }) => words.every((word) => text.includes(word))),
    }))
    .filter(({ entries }) => entries.length > 0);
}

/** The way to every guide and call, with a search over their texts and fields. On a narrow screen it opens on demand. */
export function Navigation({ areas, guides, current }: { areas: Area[]; guides: Guide[]; current: string }) {
  const [search, setSearch] = useState('');
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const groups = matching(groupsOf(areas, guides), search);
  const found = groups.reduce((sum, { entries }) => sum + entries.length, 0);
  const nav = useRef<HTMLElement>(null);

  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      setOpen(true);
      setTimeout(() => input.current?.focus());
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);

  useEffect(() => {
    const box = nav.current?.querySelector('.entries');
    const link = box?.querySelector<HTMLElement>('[aria-current]');
    // Only the list itself scrolls: the page stays where the reader is.
    if (
      box &&
      link &&
      (link.offsetTop < box.scrollTop || link.offsetTop > box.scrollTop + box.clientHeight - 60)
    )
      box.scrollTop = link.offsetTop - box.clientHeight / 3;
  }, [current]);

  return (
    <nav
      ref={nav}
      aria-label="Reference"
      class={isOpen ? 'side open' : 'side'}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setOpen(false);
      }}
    >
      <button type="button" class="toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Contents and search
      </button>
      <div class="drawer">
        <form
          role="search"
          onSubmit={(event) => {
            event.preventDefault();
            const first = groups[0]?.entries[0];
            if (search && first) location.hash = first.href;
            setOpen(false);
          }}
        >
          <label class="visually-hidden" for="search">
            Search calls, fields and guides
          </label>
          <input
            id="search"
            ref={input}
            type="search"
            placeholder="Search (press /)"
            autocomplete="off"
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
          <p class="visually-hidden" role="status">
            {search && `${found} found`}
          </p>
        </form>
        <div class="entries">
          {groups.map(({ name, entries }) => (
            <section>
              <h2>{name}</h2>
              <ul>
                {entries.map(({ href, label, isCode, note }) => (
                  <li>
                    <a
                      href={href}
                      class={isCode ? 'mono' : ''}
                      {...(href === current && { 'aria-current': 'true' as const })}
                      onClick={() => setOpen(false)}
                    >
                      {label}
                      {note && <small> {note}</small>}
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          ))}
          {found === 0 && <p class="quiet">Nothing has all of these words.</p>}
        </div>
      </div>
    </nav>
  );
}
