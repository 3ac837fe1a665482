/** Requests that are repeated when their input changes, after a pause in typing. Only the last one is used. */

import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { again, ask, Refusal } from "./api";
import { fileNumber } from "./state";
import * as SERVICE from "./words/service";

export interface Question {
  path: string;
  /** Built when it is sent, because the text may be long. */
  body: () => object;
  /** The approximate size of its input in bytes: requests about large files are sent less often. */
  size: number;
  /** The subject of the verdicts. An answer about another subject must never be shown for this question. */
  subject?: unknown;
}

export interface Live<T> {
  /** The last successful answer. It remains until the next one. */
  answer: Signal<T | null>;
  /** True while a request is in progress. */
  pending: Signal<boolean>;
  problem: Signal<Refusal | null>;
  /** The question that the answer belongs to. */
  answered: ReadonlySignal<Question | null>;
  /** True if the answer belongs to the current question. */
  isCurrent: ReadonlySignal<boolean>;
  /** True if the answer belongs to a former question for so long that it must be shown as outdated. */
  isStale: Signal<boolean>;
  /** True if the answer belongs to a former file. Then it is outdated at once. */
  isFormer: Signal<boolean>;
}

/** The milliseconds that an outdated answer is shown in full color while the next request is in progress. */
const STALE_AFTER = 800;

/** Returns the pause in typing, in milliseconds, after which a text of this size is sent. */
export function rest(size: number): number {
  if (size < 64_000) return 120;
  return size < 256_000 ? 300 : 500;
}

/** Sends a request whenever the question changes; null means no question. The pause is multiplied by `patience`. */
export function live<T>(question: ReadonlySignal<Question | null>, patience = 1): Live<T> {
  const answer = signal<T | null>(null);
  const pending = signal(false);
  const problem = signal<Refusal | null>(null);
  const answered = signal<Question | null>(null);
  const isCurrent = computed(() => answered.value !== null && answered.value === question.value);
  const [isStale, isFormer] = [signal(false), signal(false)];
  /** The number of the file that the answer is about. */
  let about = fileNumber.peek();
  let first = true;
  effect(() => {
    const asked = question.value;
    const now = fileNumber.value;
    if (answer.peek() !== null && about !== now) [isStale.value, isFormer.value] = [true, true];
    // Failed requests are repeated when the service is available again.
    void again.value;
    if (!asked) {
      first = true;
      pending.value = false;
      return undefined;
    }
    const abort = new AbortController();
    const send = async (): Promise<void> => {
      try {
        const value = await ask<T>(asked.path, asked.body(), abort.signal);
        if (abort.signal.aborted) return;
        batch(() => {
          answer.value = value;
          answered.value = asked;
          problem.value = null;
          [isStale.value, isFormer.value, about] = [false, false, now];
        });
      } catch (error) {
        if (abort.signal.aborted) return;
        batch(() => {
          problem.value = error instanceof Refusal ? error : new Refusal("refused", SERVICE.unreadable);
          isStale.value = true;
        });
      }
      pending.value = false;
    };
    pending.value = true;
    const late = setTimeout(() => (isStale.value ||= answered.peek() !== asked), STALE_AFTER);
    const timer = setTimeout(send, first ? 0 : rest(asked.size) * patience);
    first = false;
    return () => {
      clearTimeout(timer);
      clearTimeout(late);
      abort.abort();
    };
  });
  return { answer, pending, problem, answered, isCurrent, isStale, isFormer };
}
