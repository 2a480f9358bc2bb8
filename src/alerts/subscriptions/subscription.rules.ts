import type { SubscribeInput } from '../../generated/resolvers.ts';
import { fail } from '../../platform/errors.ts';
import { readLanguage } from '../../platform/messages.ts';
import { isStorable } from '../../platform/text.ts';
import { checkContact, checkMedium } from '../../shoppers/contacts/contact.rules.ts';
import { checkProduct, checkProductCount, lastOfEach } from '../../stores/products/product.rules.ts';
import { MAX_NAME, isTopicName } from '../topics/topic.rules.ts';

const MAX_PRODUCTS = 100;
const MAX_TOPICS = 20;
const MAX_EXTRAS = 2_048;

function checkTopic(topic: unknown, index: number): string {
  const text = Number.isSafeInteger(topic) ? String(topic) : topic;
  if (typeof text !== 'string') return fail('invalid-topics', `topics[${index}] must be a string`);
  const name = text.trim();
  if (isTopicName(name)) return name;
  return fail('invalid-topics', `topics[${index}] must have 1 to ${MAX_NAME} printable characters`);
}

function checkTopics(topics: readonly unknown[]): string[] {
  if (topics.length < 1 || topics.length > MAX_TOPICS)
    fail('invalid-topics', `topics must have 1 to ${MAX_TOPICS} entries`);
  return [...new Set(topics.map(checkTopic))];
}

function checkMailingList(answer: number | null | undefined): boolean | null {
  if (answer == null) return null;
  return answer === 0 || answer === 1
    ? answer === 1
    : fail('invalid-addtomailinglist', 'addtomailinglist must be 0 or 1');
}

function checkExtras(extras: string | null | undefined): string | null {
  if (extras == null || extras === '') return null;
  const isFine = [...extras].length <= MAX_EXTRAS && isStorable(extras);
  return isFine ? extras : fail('invalid-extras', `extras must have at most ${MAX_EXTRAS} characters`);
}

export type CheckedSignUp = ReturnType<typeof checkSignUp>;

export function checkSignUp(store: { defaultRegion: string | null }, input: SubscribeInput) {
  const contact = checkContact(store, checkMedium(input.medium), input.mediumvalue);
  checkProductCount('products', input.products.length, MAX_PRODUCTS);
  const products = input.products.map((product, index) => checkProduct(product, `products[${index}]`));
  const topics = checkTopics(input.topics);
  const mailinglist = checkMailingList(input.addtomailinglist);
  const language = readLanguage(input.language);
  const extras = checkExtras(input.extras);
  return { contact, products: lastOfEach(products), topics, mailinglist, extras, language };
}

export function keyOf({ epi, topic }: { epi: string; topic: string }): string {
  return JSON.stringify([epi, topic]);
}
