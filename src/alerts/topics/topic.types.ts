import type { TopicModel } from '../../generated/prisma/models.ts';
import type { AlertTexts } from '../send/channels.ts';
import type { RuleName } from './topic.columns.ts';
import type { TriggerName } from './triggers.ts';

/** A topic without its texts; a row of TOPIC_RULES without a column does not compile. */
export type TopicRules = Pick<TopicModel, 'name' | RuleName> & { trigger: TriggerName };

/** The texts that a store wrote itself, by language (BCP 47). */
export type OwnTexts = Readonly<Record<string, Partial<AlertTexts>>>;

export type TopicRow = TopicRules & { texts: OwnTexts };
