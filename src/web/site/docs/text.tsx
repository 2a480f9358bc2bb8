import type { ComponentChildren } from 'preact';

const INLINE = /`([^`]+)`|\[([^\]]+)\]\(([^)]+)\)|\*\*([^*]+)\*\*/g;

/** A line of text with code, links and emphasis in it. */
function inline(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, label, href, strong] = match;
    parts.push(text.slice(end, match.index));
    if (code !== undefined) parts.push(<code>{code}</code>);
    else if (strong !== undefined) parts.push(<strong>{strong}</strong>);
    else parts.push(<a href={href}>{label}</a>);
    end = match.index + whole.length;
  }
  return [...parts, text.slice(end)];
}

/** One paragraph's text, without a paragraph around it. */
export const Line = ({ text }: { text: string }) => <>{inline(text)}</>;

/** Paragraphs and lists, as the descriptions of the reference are written. */
export function Text({ text }: { text: string }) {
  const blocks = text.split('\n\n').map((block) => {
    const lines = block.split('\n');
    const first = lines.findIndex((line) => line.startsWith('- '));
    if (first < 0) return { lead: block, items: [] };
    const items = lines
      .slice(first)
      .join('\n')
      .split(/^- /m)
      .filter((item) => item.trim() !== '');
    return { lead: lines.slice(0, first).join('\n'), items };
  });
  return (
    <>
      {blocks.map(({ lead, items }) => (
        <>
          {lead && <p>{inline(lead)}</p>}
          {items.length > 0 && (
            <ul>
              {items.map((item) => (
                <li>{inline(item)}</li>
              ))}
            </ul>
          )}
        </>
      ))}
    </>
  );
}
