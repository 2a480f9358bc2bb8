/** A stretch of a template: what it is decides its colour. */
export type Mark = { kind: 'plain' | 'value' | 'logic' | 'tag' | 'comment'; text: string };

const LIQUID = /(\{\{[\s\S]*?\}\})|(\{%[\s\S]*?%\})/g;
const HTML =
  /(\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\})|(<!--[\s\S]*?-->)|(<[/!]?[a-z](?:\{\{[\s\S]*?\}\}|[^<>])*>)/gi;

function liquidMarks(text: string, around: Mark['kind']): Mark[] {
  const marks: Mark[] = [];
  let end = 0;
  for (const found of text.matchAll(LIQUID)) {
    marks.push({ kind: around, text: text.slice(end, found.index) });
    marks.push({ kind: found[1] === undefined ? 'logic' : 'value', text: found[0] });
    end = found.index + found[0].length;
  }
  marks.push({ kind: around, text: text.slice(end) });
  return marks.filter(({ text: part }) => part !== '');
}

/** A template in stretches, which together are the whole text. */
export function marksOf(text: string, isHtml: boolean): Mark[] {
  if (!isHtml) return liquidMarks(text, 'plain');
  const marks: Mark[] = [];
  let end = 0;
  for (const found of text.matchAll(HTML)) {
    marks.push({ kind: 'plain', text: text.slice(end, found.index) });
    if (found[1] !== undefined) marks.push(...liquidMarks(found[0], 'plain'));
    else if (found[2] !== undefined) marks.push({ kind: 'comment', text: found[0] });
    else marks.push(...liquidMarks(found[0], 'tag'));
    end = found.index + found[0].length;
  }
  marks.push({ kind: 'plain', text: text.slice(end) });
  return marks.filter(({ text: part }) => part !== '');
}

/** Names in a template that nothing is known of, below what is: `product.titel`. What a template names itself is its own affair. */
export function unknownNames(text: string, known: readonly string[]): string[] {
  const roots = new Set(known.filter((name) => name.includes('.')).map((name) => name.split('.')[0]!));
  const named = [...text.matchAll(LIQUID)].flatMap(([liquid]) =>
    [...liquid.replace(/"[^"]*"|'[^']*'/g, '').matchAll(/\b([a-z_]+)(?:\.[a-z_]+)+/gi)].map(
      ([name, root]) => ({ name, root: root! }),
    ),
  );
  const wrong = named.filter(({ name, root }) => roots.has(root) && !known.includes(name));
  return [...new Set(wrong.map(({ name }) => name))];
}
