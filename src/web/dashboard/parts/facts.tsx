import type { ComponentChildren } from 'preact';

/** What is known of something, name by name. */
export function Facts({ facts }: { facts: [name: string, value: ComponentChildren][] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
