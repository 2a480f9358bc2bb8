import { useActions, useLists } from '@wishgate/react';
import { useState } from 'react';

export default function List() {
  const lists = useLists();
  const { remove, undo } = useActions();
  const [removed, setRemoved] = useState<string | null>(null);
  const items = lists?.filter(({ lty }) => lty !== 'sfl').flatMap(({ listcontents }) => listcontents) ?? [];
  return (
    <>
      <h1>Your list</h1>
      {items.length === 0 && <p>Nothing saved yet</p>}
      <ul>
        {items.map((item) => (
          <li key={item.epi}>
            <a href={item.uri ?? undefined}>{item.dt}</a>{' '}
            <button
              aria-label={`Remove ${item.dt}`}
              onClick={async () => setRemoved((await remove(item)) ? item.dt : null)}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      <p role="status">{removed !== null && `${removed} removed`}</p>
      {removed !== null && (
        <button onClick={async () => setRemoved((await undo()) ? null : removed)}>Undo</button>
      )}
    </>
  );
}
