/** Questions to modules in workers, which answer them as the service does. The page loads the first one at once. */

import changesAddress from "changes.wasm?url";
import address from "tester.wasm?url";
import { load, type Module } from "./load";
import "./unserved.css";

/** True if the page itself answers, and there is no service. */
export const isStatic = true;

/** The module is loaded with the page: a later question needs no request. */
const module = load(address);

/** The questions of the views Mistakes and Write. Their module is larger than the first one. */
const CHANGES = new Set(["/lints.json", "/v1/generate", "/v1/lint"]);

/** The module of these views, which the first of their questions loads. */
let changes: Promise<Module> | null = null;

/** Asks a module. A question that is canceled before its turn is never asked. */
export async function exchange(path: string, question: object | null, _token: string | null, abort?: AbortSignal): Promise<Response> {
  if (CHANGES.has(path)) changes ??= load(changesAddress);
  const { ask } = await (CHANGES.has(path) && changes ? changes : module);
  const reply = await ask(path, question ?? {}, abort);
  return new Response(reply.json, { status: reply.status });
}

/** Returns true if the module is there. It is loaded once. */
export async function isAlive(): Promise<boolean> {
  return module.then(
    () => true,
    () => false,
  );
}
