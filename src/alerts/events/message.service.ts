import type { Outgoing } from '../send/channel.ts';
import { channelOf, isTerse, partsOf } from '../send/channels.ts';
import type { Medium } from '../send/channels.ts';
import type { Outcome } from '../send/outcome.ts';
import type { Services } from '../../context.ts';
import type { ClaimedMessage } from '../queue/outbox.repo.ts';
import { OPTED_OUT, findOptedOut } from '../../shoppers/contacts/opt-out.service.ts';
import { shortUnsubscribeUrl, unsubscribeUrl } from '../../shoppers/contacts/link.rules.ts';
import { isPaced } from '../../stores/frequency.rules.ts';
import type { Verdict } from './alert.rules.ts';
import { outcomeOfTemplate, prepareAlerts } from './alert.service.ts';
import type { Letter, PreparedAlert } from './alert.service.ts';
import { paceAlerts } from './frequency.service.ts';

/** What leaves as one message, or ends alone. `seal` makes it ready, or says why it is not to be sent now. */
export type Parcel = {
  message: ClaimedMessage;
  others: ClaimedMessage[];
  seal: () => Promise<Outgoing | Outcome>;
};

/** An alert that may be sent. */
type Ready = PreparedAlert & { letter: Letter };

/** Makes claimed alerts ready, and puts them into messages where their store paces. What has to wait is not among the answer. */
export async function packAlerts(
  services: Services,
  medium: Medium,
  messages: readonly ClaimedMessage[],
): Promise<Parcel[]> {
  const alerts = await judgeAll(services, medium, messages);
  const paced = alerts.filter(({ alert }) => isPacedAlert(alert));
  const alone = alerts.filter((one) => !paced.includes(one));
  const parcels = alone.map(({ alert, judge }) => sealAlone(services, medium, alert, judge));
  if (paced.length === 0) return parcels;

  const sorted = sortOut(paced);
  const groups = await paceAlerts(services, medium, sorted.ready);
  const taken = groups.flatMap(({ taken }) => taken);
  const more = sortOut(taken.length === 0 ? [] : await judgeAll(services, medium, taken));
  const isIn = (messages: readonly ClaimedMessage[], { message }: Ready): boolean =>
    messages.some(({ id }) => id === message.id);
  return [
    ...parcels,
    ...sorted.ended,
    ...more.ended,
    ...groups.map(({ parcelId, own, taken }) => {
      const members = [
        ...sorted.ready.filter((one) => isIn(own, one)),
        ...more.ready.filter((one) => isIn(taken, one)),
      ];
      const ready = members.sort(inReadingOrder);
      const [{ message }, ...others] = ready as [Ready, ...Ready[]];
      const seal = () => sealTogether(services, medium, parcelId, ready);
      return { message, others: others.map((one) => one.message), seal };
    }),
  ];
}

/** Oldest first; those of one moment by topic and variant. */
function inReadingOrder({ message: left }: Ready, { message: right }: Ready): number {
  const age = left.cts.getTime() - right.cts.getTime();
  const compare = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
  return age || compare(left.topic!, right.topic!) || compare(left.epi!, right.epi!);
}

/** An alert with what is to become of it now. */
type Judged = { alert: PreparedAlert; judge: () => Verdict };

/** Alerts with what is to become of each: nobody is written to who answered that it should end. */
async function judgeAll(
  { db, ...services }: Services,
  medium: Medium,
  messages: readonly ClaimedMessage[],
): Promise<Judged[]> {
  const recipients = messages.map(({ recipient }) => recipient);
  const stopped = await findOptedOut(db, medium, recipients);
  const alerts = await prepareAlerts({ db, ...services }, medium, messages);
  return alerts.map((alert) => ({
    alert,
    judge: stopped.has(alert.message.recipient) ? () => OPTED_OUT : alert.judge,
  }));
}

/** Whether the store paces, or did when the alert was last looked at: others may count on it. */
function isPacedAlert({ message, letter }: PreparedAlert): boolean {
  return letter !== null && (isPaced(letter.store.pacing) || message.leavesAt !== null);
}

/** Those that may be sent, and those that end or wait on their own account. The one whose id a message has stays in it: it may have been sent. */
function sortOut(alerts: readonly Judged[]): { ready: Ready[]; ended: Parcel[] } {
  const ready: Ready[] = [];
  const ended: Parcel[] = [];
  for (const { alert, judge } of alerts) {
    const { message, letter } = alert;
    const verdict = judge();
    const isSent =
      verdict.kind === 'send' || (verdict.kind === 'deferred' && message.parcelId === message.id);
    if (isSent && letter !== null) ready.push({ ...alert, letter });
    else if (verdict.kind !== 'send') ended.push({ message, others: [], seal: async () => verdict });
  }
  return { ready, ended };
}

function sealAlone(services: Services, medium: Medium, alert: PreparedAlert, judge: () => Verdict): Parcel {
  const seal = async (): Promise<Outgoing | Outcome> => {
    const verdict = judge();
    if (verdict.kind !== 'send') return verdict;
    return sealTogether(services, medium, alert.message.id, [{ ...alert, letter: alert.letter! }]);
  };
  return { message: alert.message, others: [], seal };
}

/** Renders one message of one contact with all these alerts. A single one is an alert like any other. */
async function sealTogether(
  services: Services,
  medium: Medium,
  id: string,
  alerts: readonly Ready[],
): Promise<Outgoing | Outcome> {
  const [first] = alerts as [Ready, ...Ready[]];
  const { store } = first.letter;
  const isBare = alerts.length > 1;
  const pieces = await Promise.all(alerts.map(({ letter }, place) => letter.render(isBare, place > 0)));
  const failure = pieces.find((piece) => 'kind' in piece);
  if (failure) return failure;
  let [texts] = pieces.flatMap((piece) => ('texts' in piece ? [piece.texts] : []));
  // The mail program's own button leaves the whole topic; the footer leads to the choice.
  let oneClickUrl = first.letter.linkFor('topic');
  if (isBare) {
    oneClickUrl = linkForAll(services, medium, alerts);
    try {
      texts = await services.templates.alerts.join({
        pid: store.pid,
        parts: partsOf(medium),
        digest: {
          pieces: pieces.flatMap((piece) => ('texts' in piece ? [piece.texts] : [])),
          products: new Set(alerts.map(({ message }) => message.epi)).size,
          storeName: store.name,
          url: linkForAll(services, medium, alerts),
        },
      });
    } catch (error) {
      return outcomeOfTemplate(error as Error);
    }
  }
  const payload = channelOf(medium).compose(texts!, { oneClickUrl, isTest: false });
  const { pid, isDemo, name: storeName, senderName, senderAddress } = store;
  return { id, pid, isDemo, storeName, senderName, senderAddress, to: first.message.recipient, payload };
}

/** Leaves all topics that a message is about; its page offers everything besides. */
function linkForAll({ config }: Services, medium: Medium, alerts: readonly Ready[]): string {
  const [{ message, letter }] = alerts as [Ready, ...Ready[]];
  const short = isTerse(medium) ? shortUnsubscribeUrl(config.publicUrl, letter.store, medium, message) : null;
  if (short !== null) return short;
  const [topic = '', ...moreTopics] = new Set(alerts.map((alert) => alert.message.topic!));
  const claim = { scope: 'topic', medium, value: message.recipient, topic, epi: '', moreTopics } as const;
  return unsubscribeUrl(config.publicUrl, letter.store, claim);
}
