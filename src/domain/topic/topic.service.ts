import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import type { Db } from '../../database/database.ts';
import { failTooMuch } from '../../shared/budget.ts';
import { fail } from '../../shared/errors.ts';
import type { StoreRow } from '../store/store.repo.ts';
import { checkContact, checkMedium } from '../contact/contact.rules.ts';
import { findProduct } from '../product/product.repo.ts';
import { alertModel } from '../template/model.rules.ts';
import { enqueueMail, enqueueSms } from '../../outbox/outbox.repo.ts';
import { findSender } from '../store/sender.repo.ts';
import { PARTS, SAMPLE_MODEL, checkSizes } from '../template/template.rules.ts';
import type { AlertModel, AlertTexts, Part } from '../template/template.rules.ts';
import * as topics from './topic.repo.ts';
import type { AudienceRow } from './topic.repo.ts';
import { MAX_TOPICS, applyTopicInput } from './topic.rules.ts';
import type { TopicInput, TopicRow } from './topic.rules.ts';
import { unsubscribeHeaders, unsubscribeUrl } from '../contact/unsubscribe.rules.ts';
import type { Scope } from '../contact/unsubscribe.rules.ts';

/** The store's topics. */
export async function listTopics(ctx: Context): Promise<TopicRow[]> {
  const { pid } = requireStore(ctx);
  const bytes = await topics.countTextBytes(ctx.db, pid);
  return ctx.budget.within(bytes, async (maxBytes) => ({
    value: maxBytes < bytes ? failTooMuch() : await topics.topicsOf(ctx.db, pid),
    bytes,
  }));
}

/** A topic of the store, or 404. */
export async function requireTopic(db: Db, pid: string, name: string): Promise<TopicRow> {
  return (await topics.findTopic(db, pid, name)) ?? fail('not-found', 'There is no such topic');
}

/** Renders for this request, within the time it has. */
async function render<Name extends Part>(
  { templates, renderBudget: budget, viewer }: Context,
  texts: AlertTexts,
  model: AlertModel,
  parts: readonly Name[],
): Promise<Pick<AlertTexts, Name>> {
  return templates.trials.render({ pid: viewer.store!.pid, texts, parts, model, budget });
}

/** Creates or changes a topic. Alerts that are not sent yet use the new texts. */
export async function saveTopic(ctx: Context, input: TopicInput): Promise<TopicRow> {
  const { pid } = requireStore(ctx);
  const draft = applyTopicInput(await topics.findTopic(ctx.db, pid, input.name), input);
  const tried = PARTS.filter((part) => input[part] != null);
  // Before the transaction, which is not to wait for templates. Those that are left out were rendered when they were saved.
  if (tried.length > 0) await render(ctx, draft, SAMPLE_MODEL, tried);
  return ctx.db.transaction(async (tx) => {
    const count = await topics.lockTopics(tx, pid);
    // Read again: somebody may have changed other fields meanwhile, and these stay.
    const current = await topics.findTopic(tx, pid, input.name);
    if (current === null && count >= MAX_TOPICS)
      fail('limit-reached', `A store can have at most ${MAX_TOPICS} topics`);
    const topic = applyTopicInput(current, input);
    await topics.saveTopic(tx, pid, topic, ctx.now());
    return topic;
  });
}

/** What a template shows for a product of the store, or for the sample. */
async function modelFor(
  ctx: Context,
  store: StoreRow,
  topic: string,
  epi: string | null | undefined,
): Promise<AlertModel> {
  const sample = {
    ...SAMPLE_MODEL,
    topic,
    store: { name: store.name },
    unsubscribe_url: `${ctx.config.publicUrl}/unsubscribe/sample`,
  };
  if (epi == null) return sample;
  const product =
    (await findProduct(ctx.db, store.pid, epi)) ?? fail('not-found', 'The catalogue has no such variant');
  const sender = (await findSender(ctx.db, store.pid))!;
  return alertModel(sender, topic, epi, product, sample.unsubscribe_url);
}

type PreviewInput = { topic: string; epi?: string | null } & { [Part in keyof AlertTexts]?: string | null };

/** A topic's messages as they would be sent, with the saved texts or with others that are being tried. */
export async function previewTopic(
  ctx: Context,
  { topic: name, epi, ...tried }: PreviewInput,
): Promise<AlertTexts> {
  const store = requireStore(ctx);
  const { subject, html, text, sms } = await requireTopic(ctx.db, store.pid, name);
  const texts = {
    subject: tried.subject ?? subject,
    html: tried.html ?? html,
    text: tried.text ?? text,
    sms: tried.sms ?? sms,
  };
  checkSizes(texts);
  return render(ctx, texts, await modelFor(ctx, store, name, epi), PARTS);
}

/** How many would hear of a topic. */
export async function countAudience(
  ctx: Context,
  topic: string,
  epi: string | null | undefined,
): Promise<AudienceRow> {
  return topics.countAudience(ctx.db, requireStore(ctx).pid, topic, epi ?? null, ctx.now());
}

type TestInput = { topic: string; to: string; medium?: string | null; epi?: string | null };

/** Sends one message of a topic to an address of the store's own. */
export async function sendTestAlert(
  ctx: Context,
  { topic: name, to, medium, epi }: TestInput,
): Promise<{ id: string }> {
  const store = requireStore(ctx);
  const { pid } = store;
  const contact = checkContact(checkMedium(medium ?? 'email'), to);
  const topic = await requireTopic(ctx.db, pid, name);
  const model = await modelFor(ctx, store, name, epi);
  const linkFor = (scope: Scope): string =>
    unsubscribeUrl(ctx.config.publicUrl, store, { scope, ...contact, topic: name, epi: epi ?? '' });
  const unsubscribe_url = linkFor(epi == null ? 'topic' : 'product');
  const { subject, html, text, sms } = await render(ctx, topic, { ...model, unsubscribe_url }, PARTS);
  const head = { pid, kind: 'test', to: contact.value };
  const headers = unsubscribeHeaders(linkFor('topic'));
  const id = await ctx.db.transaction((tx) =>
    contact.medium === 'email'
      ? enqueueMail(tx, { ...head, subject: `[Test] ${subject}`, html, text, headers }, ctx.now())
      : enqueueSms(tx, { ...head, text: sms }, ctx.now()),
  );
  return { id: id! };
}
