/** Requests to the service, and their failures. */

import { exchange, isAlive } from "#transport";
import { signal } from "@preact/signals";
import * as SERVICE from "./words/service";

export type Trouble = "offline" | "busy" | "token" | "refused";

/** The reason why there is no answer, in words for the user. */
export class Refusal extends Error {
  constructor(
    readonly trouble: Trouble,
    message: string,
    /** The seconds after which a retry makes sense. */
    readonly after: number | null = null,
  ) {
    super(message);
  }
}

/** The state of the service, which the notice at the top of the page shows. */
export const health = signal<Trouble | "up">("up");

/** The URLs that the service refuses, with the reasons. They are left out, so that the others are answered. */
export const refusedUrls = signal<ReadonlyMap<string, string>>(new Map());

/** A counter that increases when failed requests should be repeated. */
export const again = signal(0);

let token: string | null = null;

/** True if a token was given and refused. */
export const isTokenWrong = signal(false);

/** Sets the token that the service requires, until the page is closed, and repeats failed requests. */
export function useToken(text: string): void {
  token = text;
  health.value = "up";
  again.value += 1;
}

let waiting: ReturnType<typeof setTimeout> | undefined;

/** Checks after some seconds if the service answers again. */
function recover(seconds: number): void {
  if (waiting !== undefined) return;
  waiting = setTimeout(async () => {
    waiting = undefined;
    if (!(await isAlive())) return recover(Math.min(seconds * 1.5, 15));
    health.value = "up";
    again.value += 1;
  }, seconds * 1000);
}

/** Checks immediately if the service answers again. */
export function retry(): void {
  clearTimeout(waiting);
  waiting = undefined;
  recover(0);
}

export async function ask<T>(path: string, question: object | null, abort?: AbortSignal): Promise<T> {
  let response: Response;
  try {
    response = await exchange(path, question, token, abort);
  } catch (error) {
    if (abort?.aborted) throw error;
    health.value = "offline";
    recover(2);
    throw new Refusal("offline", SERVICE.silent);
  }
  if (response.ok) {
    // A busy service has answered this request and refused others, which are repeated later. An answer of the module has no
    // URL, and says nothing about the service.
    if (health.value === "offline" && response.url !== "") health.value = "up";
    return (await response.json()) as T;
  }
  throw await refusal(response);
}

async function refusal(response: Response): Promise<Refusal> {
  const problem = await response.json().catch(() => null);
  const said = typeof problem?.detail === "string" ? problem.detail : problem?.title;
  const detail = typeof said === "string" ? said : SERVICE.status(response.status);
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
      return new Refusal("refused", SERVICE.tooMuch(detail));
    default:
      if (typeof problem?.url === "string") refusedUrls.value = new Map([...refusedUrls.peek(), [problem.url, detail]]);
      return new Refusal("refused", detail);
  }
}
