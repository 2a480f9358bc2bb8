import { find } from './text.ts';

/** A built-in topic by its display name; a store's own topic by the name that the store gave it. */
export const topicName = (name: string): string => find(`topic.${name}`) ?? name;

/** Names that the service has in English only, for a channel, trigger or provider that has no message yet. */
export const channelName = (medium: string, label = medium): string => find(`channel.${medium}`) ?? label;

export const triggerName = (name: string, label: string): string => find(`trigger.${name}`) ?? label;

export const partName = (name: string, label: string): string => find(`part.${name}`) ?? label;

export const eventName = (type: string): string => find(`event.${type}`) ?? type;

export const contactName = (medium: string, label: string): string => find(`contact.${medium}`) ?? label;
