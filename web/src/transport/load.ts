/** A worker with the module, and the questions that wait for it. */

import script from "../worker/worker?worker&url";
import type { Asked, Reply } from "../worker/worker";

/** A question that is not answered yet. */
interface Open {
  path: string;
  question: object;
  settle: (reply: Reply) => void;
  fail: (error: unknown) => void;
}

/** A module that has been loaded. */
export interface Module {
  /** Asks a question. One that is canceled before its turn is never asked. */
  ask: (path: string, question: object, abort?: AbortSignal) => Promise<Reply>;
  /** Ends the worker. Open questions fail. */
  stop: () => void;
}

/** Trusted Types, which not all browsers have. What they return is not a string, but is used in place of one. */
declare const trustedTypes: { createPolicy: (name: string, rules: { createScriptURL: () => string }) => { createScriptURL: (text: string) => string } } | undefined;

/** Returns the address of the worker's script, in the form that the policy of the service asks for. */
export function trustedScript(): string {
  if (typeof trustedTypes === "undefined") return script;
  return trustedTypes.createPolicy("worker", { createScriptURL: () => script }).createScriptURL("");
}

/** Loads the module at an address into a worker. */
export async function load(address: string, from: string = script): Promise<Module> {
  const worker = new Worker(from, { type: "module" });
  const failed = new Promise<never>((_, fail) => {
    worker.onerror = () => fail(new Error("the worker cannot be loaded"));
  });
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the module cannot be loaded: status ${response.status}`);
  const bytes = await response.arrayBuffer();
  const ready = new Promise<void>((done, fail) => {
    worker.onmessage = ({ data }: MessageEvent<string | null>) => (data === null ? done() : fail(new Error(data)));
  });
  worker.postMessage(bytes, [bytes]);
  await Promise.race([ready, failed]);

  /** The questions in their order. The worker has the first one. */
  let open: Open[] = [];
  const next = (): void => {
    const first = open[0];
    if (first) worker.postMessage({ path: first.path, question: first.question } satisfies Asked);
  };
  worker.onmessage = ({ data }: MessageEvent<Reply>) => {
    open.shift()?.settle(data);
    next();
  };
  return {
    ask(path, question, abort) {
      abort?.throwIfAborted();
      return new Promise<Reply>((settle, fail) => {
        const mine: Open = { path, question, settle, fail };
        abort?.addEventListener("abort", () => {
          if (open[0] !== mine) open = open.filter((other) => other !== mine);
          fail(abort.reason);
        });
        open.push(mine);
        if (open[0] === mine) next();
      });
    },
    stop() {
      worker.terminate();
      for (const { fail } of open) fail(new Error("the module was stopped"));
      open = [];
    },
  };
}
