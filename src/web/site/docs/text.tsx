const INLINE = /(`[^`]+`|\[[^\]]+\]\([^)]+\)|\*\*[^*]+\*\*)/;

export function Line({ text }: { text: string }) {
  const parts = text.split(INLINE).map((part) => {
    if (part.startsWith('`')) return <code>{part.slice(1, -1)}</code>;
    if (part.startsWith('**')) return <strong>{part.slice(2, -2)}</strong>;
    const [, label, href] = /^\[(.+)\]\((.+)\)$/.exec(part) ?? [];
    return href ? <a href={href}>{label}</a> : part;
  });
  return <>{parts}</>;
}

/** Renders paragraphs and lists of Markdown, as in the descriptions of the OpenAPI document. */
export function Text({ text }: { text: string }) {
  const blocks = text.split('\n\n').map((block) => {
    const [lead, ...items] = block.split(/^- /m);
    return (
      <>
        {lead && (
          <p>
            <Line text={lead} />
          </p>
        )}
        {items.length > 0 && (
          <ul>
            {items.map((item) => (
              <li>
                <Line text={item} />
              </li>
            ))}
          </ul>
        )}
      </>
    );
  });
  return <>{blocks}</>;
}
