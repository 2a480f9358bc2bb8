import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { PARTS } from '../send/channels.ts';
import type { AlertTexts, Part } from '../send/channels.ts';
import type { Renderer } from './template.types.ts';

// The alerts of a restock differ in one thing: the token at the end of the link out. So a message is rendered once with a mark in its place, and
// each contact's token takes the place of the mark: 10 µs a message instead of 900 of the process that renders.

/** The start of it stands for a token. Nobody knows it, so that no text holds it by chance or by intent. */
const MARKS = randomBytes(48).toString('base64url');
const MIN_MARK = 20;
/** Messages that are kept. */
const MAX_KEPT = 64;

const BARE_LINK = /\{\{-?\s*unsubscribe_url\s*-?\}\}/g;
/** What could read the link without naming it, or says something else at another time. */
const INDIRECT = /(?<!<!(?:--)?)\[|\|\s*date\b/;

/**
 * Whether a text shows the link as it is or not at all, and nothing else that is different for the next contact. In doubt it does not: such a
 * text is rendered for each. A subject is cut, possibly in the midst of a link.
 */
function isSame(text: string, part: Part): boolean {
  const rest = text.replace(BARE_LINK, '');
  if (rest.includes('unsubscribe_url') || INDIRECT.test(rest)) return false;
  return rest.length === text.length || (PARTS[part].form !== 'line' && !rest.includes('capture'));
}

/** A renderer that renders what is the same for many contacts once. */
export function withStencils(renderer: Renderer): Renderer {
  const kept = new LRUCache<string, Promise<Partial<AlertTexts>>>({ max: MAX_KEPT });
  return {
    close: renderer.close,
    join: renderer.join,
    async render(request) {
      const { texts, parts, model, isBare = false } = request;
      const end = model.unsubscribe_url.lastIndexOf('/') + 1;
      const unsubscribe_url = model.unsubscribe_url.slice(0, end);
      const token = model.unsubscribe_url.slice(end);
      // As long as the token where that is short: a text message is measured with it.
      const mark = MARKS.slice(0, Math.max(token.length, MIN_MARK));
      const key = JSON.stringify([
        mark,
        isBare,
        parts.map((part) => texts[part]),
        { ...model, unsubscribe_url },
      ]);
      let stencil = kept.get(key);
      if (stencil === undefined) {
        if (!parts.every((part) => isSame(texts[part], part))) return renderer.render(request);
        stencil = renderer.render({
          ...request,
          model: { ...model, unsubscribe_url: unsubscribe_url + mark },
        });
        kept.set(key, stencil);
        stencil.catch(() => kept.delete(key));
      }
      const filled = Object.entries(await stencil).map(([part, text]) => [
        part,
        text.replaceAll(mark, () => token),
      ]);
      return Object.fromEntries(filled) as typeof texts;
    },
  };
}
