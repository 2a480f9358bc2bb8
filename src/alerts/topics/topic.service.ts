import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import type {
  MutationSendTestAlertArgs,
  QueryAudienceArgs,
  QueryPreviewTopicArgs,
  SaveTopicInput,
} from '../../generated/resolvers.ts';
import { failTooMuch, readWithin } from '../../platform/budget.ts';
import { fail } from '../../platform/errors.ts';
import { goOutside } from '../../platform/in-flight.ts';
import {
  LANGUAGES,
  directionOf,
  languageOf,
  nameOfLanguage,
  readLanguage,
  translator,
} from '../../platform/messages.ts';
import { checkContact, checkMedium } from '../../shoppers/contacts/contact.rules.ts';
import { unsubscribeUrl } from '../../shoppers/contacts/link.rules.ts';
import type { Scope } from '../../shoppers/contacts/link.rules.ts';
import { findProduct } from '../../stores/products/product.repo.ts';
import { checkEpis } from '../../stores/products/product.rules.ts';
import { findSender } from '../../stores/sender.repo.ts';
import type { StoreRow } from '../../stores/store.repo.ts';
import { alertModel, footerTexts, sampleProduct, siteOf, storeModel } from '../compose/model.rules.ts';
import type { Reader } from '../compose/model.rules.ts';
import { SAMPLE_MODEL, TEMPLATE_VARIABLES } from '../compose/template.rules.ts';
import type { AlertModel } from '../compose/template.rules.ts';
import { enqueueMessage } from '../queue/outbox.repo.ts';
import { PART_NAMES, channelOf } from '../send/channels.ts';
import type { AlertTexts, Part } from '../send/channels.ts';
import * as topics from './topic.repo.ts';
import type { AudienceRow, TopicStore } from './topic.repo.ts';
import { MAX_TOPICS, applyTopicInput, textsFor, textsIn } from './topic.rules.ts';
import type { TextChanges, TopicInput } from './topic.rules.ts';
import type { TopicRow } from './topic.types.ts';
import { TRIGGER_NAMES, triggerOf } from './triggers.ts';

export async function listTopics(ctx: Context): Promise<TopicRow[]> {
  const store = requireStore(ctx);
  const bytes = await topics.countTextBytes(ctx.db, store.pid);
  return readWithin(ctx.budget, bytes, async (maxBytes) => ({
    value: maxBytes < bytes ? failTooMuch() : await topics.topicsOf(ctx.db, store),
    bytes,
  }));
}

export const failNoTopic = (): never => fail('not-found', 'Topic not found');

async function render(ctx: Context, texts: AlertTexts, model: AlertModel, parts: readonly Part[]) {
  await goOutside(ctx);
  const { templates, renderBudget: budget, viewer } = ctx;
  const store = viewer.store!;
  const footer = footerTexts(store, model.language, 'footer.why.product');
  const rendered = await templates.trials.render({ pid: store.pid, texts, parts, model, footer, budget });
  return { ...texts, ...rendered };
}

/** The language that a caller names for texts, or the store's. */
function checkLanguage({ locale }: TopicStore, tag: string | null | undefined): string {
  if (tag == null) return languageOf(locale);
  return readLanguage(tag) ?? fail('invalid-request', 'language must be a BCP 47 tag such as de or pt-BR');
}

export function listLanguages(ctx: Context) {
  requireStore(ctx);
  return LANGUAGES.map((tag) => ({ tag, name: nameOfLanguage(tag), direction: directionOf(tag) }));
}

export function listTriggers(ctx: Context) {
  requireStore(ctx);
  return TRIGGER_NAMES.map((name) => {
    const { label, settings } = triggerOf(name);
    return { name, label, settings: [...settings] };
  });
}

export function listVariables(ctx: Context) {
  requireStore(ctx);
  return TEMPLATE_VARIABLES;
}

/** Some parts have a field of their own, and all of them can be in `texts`. */
type GivenTexts = { [Name in Part]?: string | null } & {
  texts?: readonly { part: string; text?: string | null }[] | null;
};

function takeTexts<Input extends GivenTexts>({
  texts,
  ...input
}: Input): [texts: TextChanges, rest: Omit<Input, keyof GivenTexts>] {
  const wrong = texts?.find(({ part }) => !PART_NAMES.includes(part as Part));
  if (wrong) fail('invalid-request', `texts: part must be one of ${PART_NAMES.join(', ')}`);
  const entries = Object.entries(input);
  const isPart = ([name]: [string, unknown]): boolean => PART_NAMES.includes(name as Part);
  const listed = texts?.map(({ part, text }) => [part, text ?? null] as const) ?? [];
  const rest = Object.fromEntries(entries.filter((entry) => !isPart(entry)));
  return [Object.fromEntries([...entries.filter(isPart), ...listed]), rest as Omit<Input, keyof GivenTexts>];
}

export function previewList(texts: AlertTexts): { part: Part; text: string }[] {
  return PART_NAMES.map((part) => ({ part, text: texts[part] }));
}

/** The texts of one language, the store's own or the standard ones. */
export function textsOf(ctx: Context, topic: TopicRow, tag?: string | null): AlertTexts {
  const store = requireStore(ctx);
  return textsIn(topic, checkLanguage(store, tag), store.locale);
}

export function listTexts(ctx: Context, topic: TopicRow, tag: string | null | undefined) {
  const own = topic.texts[checkLanguage(requireStore(ctx), tag)] ?? {};
  const texts = previewList(textsOf(ctx, topic, tag));
  return texts.map((text) => ({ ...text, isStandard: own[text.part] === undefined }));
}

/** Creates or changes a topic. Queued alerts use the new texts. */
export async function saveTopic(ctx: Context, given: SaveTopicInput) {
  const store = requireStore(ctx);
  const { pid, locale } = store;
  if (given.texts === null)
    fail('invalid-request', 'texts must not be null: send null as the text of a part');
  const [texts, { language: tag, ...rules }] = takeTexts(given);
  const language = checkLanguage(store, tag);
  const input: TopicInput = { ...rules, texts, language };
  const draft = applyTopicInput(await topics.findTopic(ctx.db, store, input.name), input, locale);
  const tried = PART_NAMES.filter((part) => texts[part] != null);
  // Rendered before the transaction, so that it does not wait for templates. The other texts were rendered when they were saved.
  if (tried.length > 0) await render(ctx, textsIn(draft, language, locale), SAMPLE_MODEL, tried);
  return ctx.db.transaction(async (tx) => {
    const count = await topics.lockTopics(tx, pid);
    // Read again, because another request may have changed other fields meanwhile, and these stay.
    const current = await topics.findTopic(tx, store, input.name);
    if (current === null && count >= MAX_TOPICS)
      fail('limit-reached', `A store can have at most ${MAX_TOPICS} topics`);
    const topic = applyTopicInput(current, input, locale);
    if (current && current.trigger !== topic.trigger) await topics.forgetMarks(tx, pid, topic.name);
    await topics.saveTopic(tx, store, topic, ctx.now());
    return topic;
  });
}

/** Null if the catalogue does not contain the variant. */
async function modelFor(
  ctx: Context,
  store: StoreRow,
  { name: topic, trigger }: TopicRow,
  reader: Reader,
  epi: string | null | undefined,
) {
  const unsubscribe_url = `${ctx.config.publicUrl}/unsubscribe/sample`;
  const { language } = reader;
  const shown = { language, direction: directionOf(language), store: storeModel(store, reader) };
  const sample = { ...SAMPLE_MODEL, ...shown, topic, unsubscribe_url };
  if (epi == null) return { ...sample, product: sampleProduct(language, trigger) };
  const product = await findProduct(ctx.db, store.pid, epi);
  if (product === null) return null;
  const sender = (await findSender(ctx.db, { pid: store.pid }))!;
  const site = { ...sender, siteUrl: siteOf(sender, ctx.config.publicUrl) };
  return alertModel(site, reader, topic, epi, product, unsubscribe_url);
}

/** Renders a topic's messages as a reader of the language would get them, with the saved texts or with unsaved ones. */
export async function previewTopic(ctx: Context, given: QueryPreviewTopicArgs): Promise<AlertTexts | null> {
  const store = requireStore(ctx);
  const [tried, { topic: name, epi, language: tag }] = takeTexts(given);
  const wanted = checkLanguage(store, tag);
  const saved = await topics.findTopic(ctx.db, store, name);
  if (saved === null) return null;
  const input = { name, language: wanted, texts: tried };
  const { reader, texts } = textsFor(applyTopicInput(saved, input, store.locale), wanted, store.locale);
  const model = await modelFor(ctx, store, saved, reader, epi);
  return model && render(ctx, texts, model, PART_NAMES);
}

/** Carries the topic and variants, so that list owners are counted only if the client selects them. */
export type AskedAudience = AudienceRow & { topic: string; epis: readonly string[] | null };

export async function countAudience(ctx: Context, { topic, epi, epis: several }: QueryAudienceArgs) {
  const { pid } = requireStore(ctx);
  if (epi != null && several != null) fail('invalid-request', 'epi and epis cannot be combined');
  const epis = epi == null ? several && checkEpis(several) : [epi];
  const counted = await topics.countAudience(ctx.db, pid, topic, epis ?? null, ctx.now());
  return { ...counted, topic, epis: epis ?? null };
}

export function countOf({ media }: AudienceRow, medium: string): number {
  return media.find((entry) => entry.medium === medium)?.count ?? 0;
}

export async function sendTestAlert(ctx: Context, input: MutationSendTestAlertArgs) {
  const { topic: name, to, medium, epi, language: tag } = input;
  const store = requireStore(ctx);
  const { pid } = store;
  const contact = checkContact(store, checkMedium(medium ?? 'email'), to);
  const topic = (await topics.findTopic(ctx.db, store, name)) ?? failNoTopic();
  const { reader, texts: templates } = textsFor(topic, checkLanguage(store, tag), store.locale);
  const model =
    (await modelFor(ctx, store, topic, reader, epi)) ??
    fail('not-found', 'Variant not found in the catalogue');
  const linkFor = (scope: Scope): string => {
    const claim = { scope, ...contact, topic: name, epi: epi ?? '' };
    return unsubscribeUrl(ctx.config.publicUrl, store, claim, reader.language);
  };
  const unsubscribe_url = linkFor(epi == null ? 'topic' : 'product');
  const channel = channelOf(contact.medium);
  // All parts, because a test shows whether the topic can be sent at all.
  const texts = await render(ctx, templates, { ...model, unsubscribe_url }, PART_NAMES);
  const subject = translator(reader.language)('alert.test', { subject: texts.subject });
  const payload = channel.compose({ ...texts, subject }, linkFor('topic'));
  const message = { pid, medium: contact.medium, kind: 'test', recipient: contact.value, payload };
  const id = await ctx.db.transaction((tx) => enqueueMessage(tx, message, ctx.now()));
  return { id: id! };
}
