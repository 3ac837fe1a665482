/** Requests that are sent when the user asks for them, such as fetches. A new one replaces the former. */

import { batch, type Signal, signal } from "@preact/signals";
import { ask, Refusal } from "./api";

export interface Demand<T> {
  answer: Signal<T | null>;
  pending: Signal<boolean>;
  problem: Signal<Refusal | null>;
  /** Sends a request. Its answer replaces the former one. */
  send: (path: string, body: object) => Promise<void>;
  cancel: () => void;
}

/** Returns a request that is not sent yet. */
export function demand<T>(): Demand<T> {
  const answer = signal<T | null>(null);
  const pending = signal(false);
  const problem = signal<Refusal | null>(null);
  let running: AbortController | null = null;
  const cancel = (): void => {
    running?.abort();
    running = null;
    pending.value = false;
  };
  const send = async (path: string, body: object): Promise<void> => {
    cancel();
    const abort = new AbortController();
    running = abort;
    batch(() => {
      [pending.value, problem.value, answer.value] = [true, null, null];
    });
    try {
      const found = await ask<T>(path, body, abort.signal);
      if (!abort.signal.aborted) answer.value = found;
    } catch (error) {
      if (abort.signal.aborted) return;
      problem.value = error instanceof Refusal ? error : new Refusal("refused", "The answer could not be read.");
    }
    if (running === abort) cancel();
  };
  return { answer, pending, problem, send, cancel };
}
