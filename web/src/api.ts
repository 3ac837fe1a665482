/** Asking the service, and what its refusals mean. */

import { signal } from "@preact/signals";

export type Trouble = "offline" | "busy" | "token" | "refused";

/** Why there is no answer, in words for the person who asked. */
export class Refusal extends Error {
  constructor(
    readonly trouble: Trouble,
    message: string,
    /** Seconds after which asking again makes sense. */
    readonly after: number | null = null,
  ) {
    super(message);
  }
}

/** How the service does: what the notice at the top of the page tells. */
export const health = signal<Trouble | "up">("up");

/** The URLs that the service does not take, and why. They are left out, so that the others are answered. */
export const refusedUrls = signal<ReadonlyMap<string, string>>(new Map());

/** Rises when what failed should be asked again. */
export const again = signal(0);

let token: string | null = null;

/** Whether a token was given, and refused. */
export const isTokenWrong = signal(false);

/** The token that the service wants, for as long as the page is open. */
export function useToken(text: string): void {
  token = text;
  health.value = "up";
  again.value += 1;
}

let waiting: ReturnType<typeof setTimeout> | undefined;

/** Looks after a while whether the service answers again. */
function recover(seconds: number): void {
  if (waiting !== undefined) return;
  waiting = setTimeout(async () => {
    waiting = undefined;
    try {
      const answer = await fetch("/healthz", { cache: "no-store" });
      if (!answer.ok) throw new Error();
      health.value = "up";
      again.value += 1;
    } catch {
      recover(Math.min(seconds * 1.5, 15));
    }
  }, seconds * 1000);
}

/** Asks at once whether the service is back. */
export function retry(): void {
  clearTimeout(waiting);
  waiting = undefined;
  recover(0);
}

export async function ask<T>(path: string, question: object | null, abort?: AbortSignal): Promise<T> {
  const headers: Record<string, string> = {};
  if (question) headers["content-type"] = "application/json";
  if (token !== null) headers["authorization"] = `Bearer ${token}`;
  const request: RequestInit = { method: question ? "POST" : "GET", headers };
  if (question) request.body = JSON.stringify(question);
  if (abort) request.signal = abort;
  let response: Response;
  try {
    response = await fetch(path, request);
  } catch (error) {
    if (abort?.aborted) throw error;
    health.value = "offline";
    recover(2);
    throw new Refusal("offline", "The service does not answer.");
  }
  if (response.ok) {
    // One that is busy has answered this question and refused others: those are asked again in their time.
    if (health.value === "offline") health.value = "up";
    return (await response.json()) as T;
  }
  throw await refusal(response);
}

async function refusal(response: Response): Promise<Refusal> {
  const problem = await response.json().catch(() => null);
  const said = typeof problem?.detail === "string" ? problem.detail : problem?.title;
  const detail = typeof said === "string" ? said : `The service answered with status ${response.status}.`;
  switch (response.status) {
    case 401:
      health.value = "token";
      isTokenWrong.value = token !== null;
      return new Refusal("token", detail);
    case 429:
    case 503: {
      const after = Math.min(Math.max(Number(response.headers.get("retry-after")) || 1, 1), 60);
      health.value = "busy";
      recover(after);
      return new Refusal("busy", detail, after);
    }
    case 413:
      return new Refusal("refused", `That is more than this service takes. ${detail}`);
    default:
      if (typeof problem?.url === "string") refusedUrls.value = new Map([...refusedUrls.peek(), [problem.url, detail]]);
      return new Refusal("refused", detail);
  }
}
