import type { AlertTexts } from '../send/channels.ts';
import type { TopicModel } from '../../generated/prisma/models.ts';
import type { TriggerName } from './triggers.ts';

/** What a topic does, without its texts. */
export type TopicRules = Pick<
  TopicModel,
  | 'name'
  | 'tag'
  | 'minStock'
  | 'batchSize'
  | 'batchIntervalSeconds'
  | 'shoppersPerUnit'
  | 'coolDownSeconds'
  | 'expiryDays'
  | 'dropPercent'
  | 'lowStock'
  | 'delaySeconds'
  | 'listHolders'
> & { trigger: TriggerName };

/** A topic as it counts for a store: its own row, or the built-in one. */
export type TopicRow = TopicRules & { texts: AlertTexts };
