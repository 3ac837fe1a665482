/** Questions to the service that serves the page, and to its module if the service is far away. */

import { load, type Module, trustedScript } from "./load";

/** True if the page itself answers, and there is no service. */
export const isStatic = false;

/** The address of the module, if the program of the service contains one. */
const address = document.querySelector<HTMLMetaElement>('meta[name="module"]')?.content;

/** The endpoints that the module answers as the service does, by the file in the question. */
const ANSWERED = new Set(["/v1/ai", "/v1/check", "/v1/diff", "/v1/inspect", "/v1/matrix"]);

/** The least time in milliseconds that a question to the service takes if the module is loaded. Nobody notices less. */
const MIN_TRIP = 40;

/** The milliseconds after the first answer until the service is measured: the page has its other answers by then. */
const MEASURE_AFTER = 1_000;

/** The number of questions that are measured. The quickest of them is used: others may have waited for something else. */
const SAMPLES = 3;

/** The milliseconds after which the module is given up. The service limits such questions. */
const MAX_ANSWER = 3_000;

/** The question that is measured. */
const SAMPLE = {
  robots: "User-agent: *\nDisallow: /a\nAllow: /a/b\n\nUser-agent: Googlebot\nDisallow: /*.pdf$\n",
  urls: ["/", "/a", "/a/b", "/x.pdf"],
  agents: ["*", "Googlebot", "GPTBot"],
  explain: true,
};

/** The module, if its answers arrive before those of the service. */
let quicker: Module | null = null;

/** True if the service need not be measured any more. */
let isMeasured = address === undefined;

/** Sends a question. Without one, asks for a document. */
export async function exchange(path: string, question: object | null, token: string | null, abort?: AbortSignal): Promise<Response> {
  const isAnswered = question !== null && ANSWERED.has(path);
  const own = isAnswered ? await askModule(path, question, abort) : null;
  if (own) return own;
  const response = await send(path, question, token, abort);
  if (isAnswered && response.ok && !isMeasured) {
    isMeasured = true;
    setTimeout(() => void choose(token), MEASURE_AFTER);
  }
  return response;
}

function send(path: string, question: object | null, token: string | null, abort?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = {};
  if (question) headers["content-type"] = "application/json";
  if (token !== null) headers["authorization"] = `Bearer ${token}`;
  const request: RequestInit = { method: question ? "POST" : "GET", headers };
  if (question) request.body = JSON.stringify(question);
  if (abort) request.signal = abort;
  return fetch(path, request);
}

/** Returns the module's answer; null if the service must answer. All refusals are the service's. */
async function askModule(path: string, question: object, abort?: AbortSignal): Promise<Response | null> {
  const module = quicker;
  if (!module) return null;
  const timer = setTimeout(() => giveUp(module), MAX_ANSWER);
  try {
    const { status, json } = await module.ask(path, question, abort);
    if (status >= 500) giveUp(module);
    return status === 200 ? new Response(json) : null;
  } catch {
    abort?.throwIfAborted();
    giveUp(module);
    return null;
  } finally {
    clearTimeout(timer);
  }
}

function giveUp(module: Module): void {
  if (quicker === module) quicker = null;
  module.stop();
}

/** Returns the quickest of several answers, in milliseconds, and the last one. */
async function measured(ask: () => Promise<string>): Promise<{ ms: number; text: string }> {
  let [ms, text] = [Infinity, ""];
  for (let at = 0; at < SAMPLES; at++) {
    const start = performance.now();
    text = await ask();
    ms = Math.min(ms, performance.now() - start);
  }
  return { ms, text };
}

/** Loads the module if the service is far away, and uses it if it is quicker and gives the same answers. */
async function choose(token: string | null): Promise<void> {
  const fromService = async (path: string, question: object | null): Promise<string> => {
    const response = await send(path, question, token);
    if (!response.ok) throw new Error(`status ${response.status}`);
    return response.text();
  };
  let module: Module | null = null;
  try {
    const theirs = await measured(() => fromService("/v1/check", SAMPLE));
    if (theirs.ms < MIN_TRIP || address === undefined) return;
    const loaded = (module = await load(address, trustedScript()));
    const fromModule = async (path: string, question: object): Promise<string> => new TextDecoder().decode((await loaded.ask(path, question)).json);
    const ours = await measured(() => fromModule("/v1/check", SAMPLE));
    // A service may know other crawlers.
    const knowsSame = (await fromModule("/v1/crawlers", {})) === (await fromService("/v1/crawlers", null));
    if (knowsSame && ours.text === theirs.text && ours.ms < theirs.ms) [quicker, module] = [loaded, null];
  } catch {
    // The service answers everything.
  }
  module?.stop();
}

/** Returns true if the service answers. */
export async function isAlive(): Promise<boolean> {
  try {
    return (await fetch("/healthz", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}
