/** Questions that are asked again whenever they change: late enough for typing, and only the last one counts. */

import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { again, ask, Refusal } from "./api";

export interface Question {
  path: string;
  /** Made when it is sent, since the text may be long. */
  body: () => object;
  /** The octets that it is about, roughly: large files are asked about less eagerly. */
  size: number;
  /** What is judged by: an answer by something else must not be shown for this question, not even for a moment. */
  subject?: unknown;
}

export interface Live<T> {
  /** The last good answer, which stays until the next one. */
  answer: Signal<T | null>;
  /** Whether an answer is on its way. */
  pending: Signal<boolean>;
  problem: Signal<Refusal | null>;
  /** The question that the answer is to. */
  answered: ReadonlySignal<Question | null>;
  /** Whether the answer is to the question that is asked now. */
  isCurrent: ReadonlySignal<boolean>;
  /** Whether the answer is to a former question, and has been for so long that it must not look like the present one. */
  isStale: Signal<boolean>;
}

/** Milliseconds that an answer to a former question may stay in full color while the next one is on its way. */
const GRACE = 800;

/** How long typing must rest before a text of this size is sent. */
export function rest(size: number): number {
  if (size < 64_000) return 120;
  return size < 256_000 ? 300 : 500;
}

/** Keeps asking while there is a question; null is none. `patience` stretches the rest. */
export function live<T>(question: ReadonlySignal<Question | null>, patience = 1): Live<T> {
  const answer = signal<T | null>(null);
  const pending = signal(false);
  const problem = signal<Refusal | null>(null);
  const answered = signal<Question | null>(null);
  const isCurrent = computed(() => answered.value !== null && answered.value === question.value);
  const isStale = signal(false);
  let first = true;
  effect(() => {
    const asked = question.value;
    // What failed is asked again when the service is back.
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
          isStale.value = false;
        });
      } catch (error) {
        if (abort.signal.aborted) return;
        batch(() => {
          problem.value = error instanceof Refusal ? error : new Refusal("refused", "The answer could not be read.");
          isStale.value = true;
        });
      }
      pending.value = false;
    };
    pending.value = true;
    const late = setTimeout(() => (isStale.value = answered.peek() !== asked), GRACE);
    const timer = setTimeout(send, first ? 0 : rest(asked.size) * patience);
    first = false;
    return () => {
      clearTimeout(timer);
      clearTimeout(late);
      abort.abort();
    };
  });
  return { answer, pending, problem, answered, isCurrent, isStale };
}
