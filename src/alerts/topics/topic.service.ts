import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import { failTooMuch, readWithin } from '../../platform/budget.ts';
import type { Db } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors.ts';
import { goOutside } from '../../platform/in-flight.ts';
import { checkContact, checkMedium } from '../../shoppers/contacts/contact.rules.ts';
import { unsubscribeUrl } from '../../shoppers/contacts/link.rules.ts';
import type { Scope } from '../../shoppers/contacts/link.rules.ts';
import { findProduct } from '../../stores/products/product.repo.ts';
import { findSender } from '../../stores/sender.repo.ts';
import type { StoreRow } from '../../stores/store.repo.ts';
import { alertModel, siteOf, storeModel } from '../compose/model.rules.ts';
import { SAMPLE_MODEL, TEMPLATE_VARIABLES } from '../compose/template.rules.ts';
import type { AlertModel, TemplateVariable } from '../compose/template.rules.ts';
import { enqueueMessage } from '../queue/outbox.repo.ts';
import { PART_NAMES, channelOf } from '../send/channels.ts';
import type { AlertTexts, Part } from '../send/channels.ts';
import * as topics from './topic.repo.ts';
import type { AudienceRow } from './topic.repo.ts';
import { MAX_TOPICS, applyTopicInput, checkEpis, withTexts } from './topic.rules.ts';
import type { TopicInput } from './topic.rules.ts';
import type { TopicRow } from './topic.types.ts';
import { TRIGGER_NAMES, triggerOf } from './triggers.ts';
import type { TriggerName, TriggerSettings } from './triggers.ts';

export async function listTopics(ctx: Context): Promise<TopicRow[]> {
  const { pid } = requireStore(ctx);
  const bytes = await topics.countTextBytes(ctx.db, pid);
  return readWithin(ctx.budget, bytes, async (maxBytes) => ({
    value: maxBytes < bytes ? failTooMuch() : await topics.topicsOf(ctx.db, pid),
    bytes,
  }));
}

export async function requireTopic(db: Db, pid: string, name: string): Promise<TopicRow> {
  return (await topics.findTopic(db, pid, name)) ?? fail('not-found', 'Topic not found');
}

async function render<Name extends Part>(
  ctx: Context,
  texts: AlertTexts,
  model: AlertModel,
  parts: readonly Name[],
): Promise<Pick<AlertTexts, Name>> {
  await goOutside(ctx);
  const { templates, renderBudget: budget, viewer } = ctx;
  return templates.trials.render({ pid: viewer.store!.pid, texts, parts, model, budget });
}

export type TriggerRow = { name: TriggerName; label: string; settings: (keyof TriggerSettings)[] };

export function listTriggers(ctx: Context): TriggerRow[] {
  requireStore(ctx);
  return TRIGGER_NAMES.map((name) => {
    const { label, settings } = triggerOf(name);
    return { name, label, settings: [...settings] };
  });
}

export function listVariables(ctx: Context): TemplateVariable[] {
  requireStore(ctx);
  return TEMPLATE_VARIABLES;
}

/** Some parts have a field of their own, and all of them can be in `texts`. */
type GivenTexts = { [Name in Part]?: string | null } & {
  texts?: readonly { part: string; text: string }[] | null;
};

function takeTexts<Input extends GivenTexts>({
  texts,
  ...input
}: Input): [texts: Partial<Record<Part, string | null>>, rest: Omit<Input, keyof GivenTexts>] {
  const wrong = texts?.find(({ part }) => !PART_NAMES.includes(part as Part));
  if (wrong) fail('invalid-request', `texts: part must be one of ${PART_NAMES.join(', ')}`);
  const entries = Object.entries(input);
  const isPart = ([name]: [string, unknown]): boolean => PART_NAMES.includes(name as Part);
  const listed = texts?.map(({ part, text }) => [part, text] as const) ?? [];
  const rest = Object.fromEntries(entries.filter((entry) => !isPart(entry)));
  return [Object.fromEntries([...entries.filter(isPart), ...listed]), rest as Omit<Input, keyof GivenTexts>];
}

export function textList(texts: AlertTexts): { part: Part; text: string }[] {
  return PART_NAMES.map((part) => ({ part, text: texts[part] }));
}

/** Creates or changes a topic. Queued alerts use the new texts. */
export async function saveTopic(ctx: Context, given: Omit<TopicInput, 'texts'> & GivenTexts) {
  const { pid } = requireStore(ctx);
  const [texts, rules] = takeTexts(given);
  const input: TopicInput = { ...rules, texts };
  const draft = applyTopicInput(await topics.findTopic(ctx.db, pid, input.name), input);
  const tried = PART_NAMES.filter((part) => texts[part] != null);
  // Rendered before the transaction, so that it does not wait for templates. The other texts were rendered when they were saved.
  if (tried.length > 0) await render(ctx, draft.texts, SAMPLE_MODEL, tried);
  return ctx.db.transaction(async (tx) => {
    const count = await topics.lockTopics(tx, pid);
    // Read again, because another request may have changed other fields meanwhile, and these stay.
    const current = await topics.findTopic(tx, pid, input.name);
    if (current === null && count >= MAX_TOPICS)
      fail('limit-reached', `A store can have at most ${MAX_TOPICS} topics`);
    const topic = applyTopicInput(current, input);
    if (current && current.trigger !== topic.trigger) await topics.forgetMarks(tx, pid, topic.name);
    await topics.saveTopic(tx, pid, topic, ctx.now());
    return topic;
  });
}

async function modelFor(ctx: Context, store: StoreRow, topic: string, epi: string | null | undefined) {
  const unsubscribe_url = `${ctx.config.publicUrl}/unsubscribe/sample`;
  const sample = { ...SAMPLE_MODEL, topic, store: storeModel(store), unsubscribe_url };
  if (epi == null) return sample;
  const product =
    (await findProduct(ctx.db, store.pid, epi)) ?? fail('not-found', 'Variant not found in the catalogue');
  const sender = (await findSender(ctx.db, { pid: store.pid }))!;
  const site = { ...sender, siteUrl: siteOf(sender, ctx.config.publicUrl) };
  return alertModel(site, topic, epi, product, unsubscribe_url);
}

/** Renders a topic's messages as they would be sent, with the saved texts or with unsaved ones. */
export async function previewTopic(
  ctx: Context,
  given: { topic: string; epi?: string | null } & GivenTexts,
): Promise<AlertTexts> {
  const store = requireStore(ctx);
  const [tried, { topic: name, epi }] = takeTexts(given);
  const saved = await requireTopic(ctx.db, store.pid, name);
  const wanted = Object.entries(tried).filter(([, text]) => text != null);
  const texts = withTexts(saved.texts, Object.fromEntries(wanted));
  return render(ctx, texts, await modelFor(ctx, store, name, epi), PART_NAMES);
}

/** Carries the topic and variants, so that list owners are counted only if the client selects them. */
export type AskedAudience = AudienceRow & { topic: string; epis: readonly string[] | null };

export async function countAudience(
  ctx: Context,
  { topic, epi, epis: several }: { topic: string; epi?: string | null; epis?: readonly string[] | null },
): Promise<AskedAudience> {
  const { pid } = requireStore(ctx);
  if (epi != null && several != null) fail('invalid-request', 'epi and epis cannot be combined');
  const epis = epi == null ? several && checkEpis(several) : [epi];
  const counted = await topics.countAudience(ctx.db, pid, topic, epis ?? null, ctx.now());
  return { ...counted, topic, epis: epis ?? null };
}

export function countOf({ media }: AudienceRow, medium: string): number {
  return media.find((entry) => entry.medium === medium)?.count ?? 0;
}

type TestInput = { topic: string; to: string; medium?: string | null; epi?: string | null };

export async function sendTestAlert(ctx: Context, { topic: name, to, medium, epi }: TestInput) {
  const store = requireStore(ctx);
  const { pid } = store;
  const contact = checkContact(store, checkMedium(medium ?? 'email'), to);
  const topic = await requireTopic(ctx.db, pid, name);
  const model = await modelFor(ctx, store, name, epi);
  const linkFor = (scope: Scope): string =>
    unsubscribeUrl(ctx.config.publicUrl, store, { scope, ...contact, topic: name, epi: epi ?? '' });
  const unsubscribe_url = linkFor(epi == null ? 'topic' : 'product');
  const channel = channelOf(contact.medium);
  // All parts, because a test shows whether the topic can be sent at all.
  const texts = await render(ctx, topic.texts, { ...model, unsubscribe_url }, PART_NAMES);
  const payload = channel.compose(texts, { oneClickUrl: linkFor('topic'), isTest: true });
  const message = { pid, medium: contact.medium, kind: 'test', recipient: contact.value, payload };
  const id = await ctx.db.transaction((tx) => enqueueMessage(tx, message, ctx.now()));
  return { id: id! };
}
