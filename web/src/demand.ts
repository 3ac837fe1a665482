/** Requests that are sent when the user asks for them, such as fetches. A new one replaces the former. */

import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { ask, Refusal } from "./api";
import { fileNumber } from "./state";
import * as SERVICE from "./words/service";

/** The part of a request that views show with its answer. */
interface Asked {
  url?: string;
  agent?: string;
}

export interface Demand<T> {
  answer: Signal<T | null>;
  /** The last request; null before the first one, and if it has no body. */
  asked: Signal<Asked | null>;
  pending: Signal<boolean>;
  problem: Signal<Refusal | null>;
  /** True if there is an answer from before another file took the place of the text. */
  isFormer: ReadonlySignal<boolean>;
  /** Sends a request, or asks for a document without a body. Its answer replaces the former one. */
  send: (path: string, body: Asked | null) => Promise<void>;
  cancel: () => void;
}

/** Returns a request that is not sent yet. */
export function demand<T>(): Demand<T> {
  const answer = signal<T | null>(null);
  const asked = signal<Asked | null>(null);
  const pending = signal(false);
  const problem = signal<Refusal | null>(null);
  /** The number of the file for which the request was sent. */
  const about = signal(0);
  const isFormer = computed(() => answer.value !== null && about.value !== fileNumber.value);
  let running: AbortController | null = null;
  const cancel = (): void => {
    running?.abort();
    running = null;
    pending.value = false;
  };
  const send = async (path: string, body: Asked | null): Promise<void> => {
    cancel();
    const abort = new AbortController();
    running = abort;
    batch(() => {
      [pending.value, problem.value, answer.value] = [true, null, null];
      [asked.value, about.value] = [body, fileNumber.peek()];
    });
    try {
      const found = await ask<T>(path, body, abort.signal);
      if (!abort.signal.aborted) answer.value = found;
    } catch (error) {
      if (abort.signal.aborted) return;
      problem.value = error instanceof Refusal ? error : new Refusal("refused", SERVICE.unreadable);
    }
    if (running === abort) cancel();
  };
  return { answer, asked, pending, problem, isFormer, send, cancel };
}
