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
    const [lead, ...lines] = block.split(/^- /m).map((line) => <Line text={line} />);
    const items = lines.map((line) => <li>{line}</li>);
    return (
      <>
        {!/^(- |$)/.test(block) && <p>{lead}</p>}
        {items.length > 0 && <ul>{items}</ul>}
      </>
    );
  });
  return <>{blocks}</>;
}
