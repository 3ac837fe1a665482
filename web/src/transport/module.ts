/** Questions to the module in a worker, which answers them as the service does. The page loads it at once. */

import address from "tester.wasm?url";
import { load } from "./load";
import "./unserved.css";

/** True if the page itself answers, and there is no service. */
export const isStatic = true;

/** The module is loaded with the page: a later question needs no request. */
const module = load(address);

/** Asks the module. A question that is canceled before its turn is never asked. */
export async function exchange(path: string, question: object | null, _token: string | null, abort?: AbortSignal): Promise<Response> {
  const { ask } = await module;
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
