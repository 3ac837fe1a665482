/** Questions to the module in a worker, which answers them as the service does. */

import address from "tester.wasm?url";
import script from "../worker/worker?worker&url";
import "./unserved.css";
import type { Asked, Told } from "../worker/worker";

/** True if the page itself answers, and there is no service. */
export const isStatic = true;

/** A question that is not answered yet. */
interface Open {
  path: string;
  question: object;
  settle: (told: Told) => void;
  fail: (error: unknown) => void;
}

/** The questions in their order. The worker has the first one. */
let open: Open[] = [];

/** The worker, once it has the module. The module is loaded with the page: a later question needs no request. */
const worker = start();

async function start(): Promise<Worker> {
  const started = new Worker(script, { type: "module" });
  const failed = new Promise<never>((_, fail) => {
    started.onerror = () => fail(new Error("the worker cannot be loaded"));
  });
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the module cannot be loaded: status ${response.status}`);
  const bytes = await response.arrayBuffer();
  const ready = new Promise<void>((done, fail) => {
    started.onmessage = ({ data }: MessageEvent<string | null>) => (data === null ? done() : fail(new Error(data)));
  });
  started.postMessage(bytes, [bytes]);
  await Promise.race([ready, failed]);
  started.onmessage = ({ data }: MessageEvent<Told>) => {
    open.shift()?.settle(data);
    next(started);
  };
  return started;
}

/** Gives the first question to the worker. */
function next(to: Worker): void {
  const first = open[0];
  if (first) to.postMessage({ path: first.path, question: first.question } satisfies Asked);
}

/** Asks the module. A question that is canceled before its turn is never asked. */
export async function exchange(path: string, question: object | null, _token: string | null, abort?: AbortSignal): Promise<Response> {
  const to = await worker;
  abort?.throwIfAborted();
  const told = await new Promise<Told>((settle, fail) => {
    const mine: Open = { path, question: question ?? {}, settle, fail };
    abort?.addEventListener("abort", () => {
      if (open[0] !== mine) open = open.filter((other) => other !== mine);
      fail(abort.reason);
    });
    open.push(mine);
    if (open[0] === mine) next(to);
  });
  return new Response(told.json, { status: told.status });
}

/** Returns true if the module is there. It is loaded once. */
export async function isAlive(): Promise<boolean> {
  return worker.then(
    () => true,
    () => false,
  );
}
