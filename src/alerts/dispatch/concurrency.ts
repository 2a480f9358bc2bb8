import type { Line, Turn } from '../queue/outbox.service.ts';
import type { Trust } from './circuit-breaker.ts';

/** What limits the messages under way in a lane. */
export type SlotLimits = {
  /** All of them. */
  concurrency: number;
  /** Those of one store. */
  perStore: number;
  /** Those of one receiver; a lane whose messages all go to the same provider has none. */
  trust: Trust | null;
};

/** The free slots of a lane. */
export type Slots = {
  free: number;
  /** How many of them a line may have. */
  roomFor(line: Line): number;
  /** Shares the free slots out among lines; one that would get none is left out. */
  share(lines: readonly Line[]): Turn[];
};

/** What identifies a line's receiver. */
export function receiverOf({ pid, recipient }: Line): string {
  return `${pid} ${recipient}`;
}

/** Looks at what is under way. Receivers that hang have one slot each and half of the lane together, however many they are. */
export function countSlots({ concurrency, perStore, trust }: SlotLimits, underWay: readonly Line[]): Slots {
  const byStore = new Map<string, number>();
  const byReceiver = new Map<string, number>();
  let suspects = 0;
  let free = concurrency;
  const isSuspect = (line: Line): boolean => trust?.isSuspect(receiverOf(line)) ?? false;
  const take = (line: Line, count: number): void => {
    byStore.set(line.pid, (byStore.get(line.pid) ?? 0) + count);
    byReceiver.set(receiverOf(line), (byReceiver.get(receiverOf(line)) ?? 0) + count);
    if (isSuspect(line)) suspects += count;
    free -= count;
  };
  for (const line of underWay) take(line, 1);

  const roomFor = (line: Line): number => {
    const receiver = receiverOf(line);
    const ofStore = perStore - (byStore.get(line.pid) ?? 0);
    const ofReceiver = (trust?.shareOf(receiver) ?? Infinity) - (byReceiver.get(receiver) ?? 0);
    const ofSuspects = isSuspect(line) ? concurrency / 2 - suspects : Infinity;
    return Math.floor(Math.max(0, Math.min(free, ofStore, ofReceiver, ofSuspects)));
  };
  return {
    free,
    roomFor,
    share(lines) {
      const each = Math.floor(free / lines.length);
      return lines.flatMap((line) => {
        const most = Math.min(each, roomFor(line));
        if (most === 0) return [];
        take(line, most);
        return [{ line, most }];
      });
    },
  };
}
