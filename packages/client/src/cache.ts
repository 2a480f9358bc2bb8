import { notify } from './error.ts';
import type { Change, StorageLike } from './types.ts';

const LIFETIME_MS = 5 * 60 * 1000;

type Stored = { who: string; generation: string; lists: Record<string, { at: number; text: string }> };

const EMPTY = '{"who":"","generation":"","lists":{}}';

/** A short hash (cyrb53): the storage has to distinguish shoppers, not to identify them. */
export function fingerprint(text: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}

/** Null on servers: Node's own `localStorage` would be that of all visitors. */
export function browserStorage(): StorageLike | null {
  try {
    return (globalThis.document && globalThis.localStorage) ?? null;
  } catch {
    return null;
  }
}

/** Shares the shopper's cached lists among all tabs of the store. */
export function createCache(
  key: string,
  storage: StorageLike | null,
  now: () => number,
  onRemote: (change: Change) => void,
) {
  const listeners = new Set<(change: Change) => void>();
  /** Replaces the storage while it does not work; null while it does. */
  let memory = storage === null ? EMPTY : null;

  const load = (): Stored => {
    try {
      return JSON.parse(memory ?? storage?.getItem(key) ?? EMPTY) as Stored;
    } catch {
      return JSON.parse(EMPTY) as Stored;
    }
  };
  const save = (stored: Stored): void => {
    const text = JSON.stringify(stored);
    try {
      storage?.setItem(key, text);
      memory = storage === null ? text : null;
    } catch {
      // The storage is full or disabled: without a cache every read calls the service, which is slower but correct.
      memory = JSON.stringify({ ...stored, lists: {} });
    }
  };
  const notifyAll = (change: Change): void => listeners.forEach((listener) => notify(listener, change));
  const invalidate = (): void => save({ ...load(), generation: Math.random().toString(36), lists: {} });

  // A server has no tabs, and would keep a channel for each visitor.
  const hasTabs = (storage || globalThis.document) && globalThis.BroadcastChannel;
  const channel = hasTabs ? new BroadcastChannel(key) : null;
  if (channel) {
    channel.onmessage = ({ data }) => {
      if (memory !== null) invalidate();
      onRemote(data as Change);
      notifyAll(data as Change);
    };
    // Outside a browser, an open channel would keep the process alive.
    (channel as { unref?: () => void }).unref?.();
  }

  return {
    /** Sets the owner and clears the data of another shopper. Returns true if the owner changed. */
    own(regid: string): boolean {
      const stored = load();
      const who = fingerprint(regid);
      if (stored.who === who) return false;
      save({ who, generation: Math.random().toString(36), lists: {} });
      return stored.who !== '';
    },
    read(regid: string, lty: string): string | null {
      const { who, lists } = load();
      const entry = lists[lty];
      const age = entry ? now() - entry.at : -1;
      return entry && who === fingerprint(regid) && age >= 0 && age < LIFETIME_MS ? entry.text : null;
    },
    /** Changes with every write in any tab: a response to an earlier request is out of date. */
    generation: () => load().generation,
    write(regid: string, lty: string, text: string, generation: string): void {
      const stored = load();
      if (stored.generation !== generation || stored.who !== fingerprint(regid)) return;
      save({ ...stored, lists: { ...stored.lists, [lty]: { at: now(), text } } });
    },
    invalidate,
    /** Forgets whose lists were cached, so that the next owner is no change. */
    disown: () => save(JSON.parse(EMPTY) as Stored),
    /** Notifies the listeners in this and all other tabs. */
    announce(change: Change): void {
      channel?.postMessage(change);
      notifyAll(change);
    },
    listen(listener: (change: Change) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
