/** Questions to the service that serves the page. */

/** True if the page itself answers, and there is no service. */
export const isStatic = false;

/** Sends a question. Without one, asks for a document. */
export function exchange(path: string, question: object | null, token: string | null, abort?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = {};
  if (question) headers["content-type"] = "application/json";
  if (token !== null) headers["authorization"] = `Bearer ${token}`;
  const request: RequestInit = { method: question ? "POST" : "GET", headers };
  if (question) request.body = JSON.stringify(question);
  if (abort) request.signal = abort;
  return fetch(path, request);
}

/** Returns true if the service answers. */
export async function isAlive(): Promise<boolean> {
  try {
    return (await fetch("/healthz", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}
