/** The worker of the page without a service: answers questions by the WebAssembly module. */

import * as SERVICE from "../words/service";
import { encode } from "./encode";

/** A question, with the path of its endpoint. */
export interface Asked {
  path: string;
  question: object;
}

/** An answer as JSON, with the status that the service would send. */
export interface Reply {
  status: number;
  json: Uint8Array<ArrayBuffer>;
}

/** The functions of the module. */
interface Functions {
  memory: WebAssembly.Memory;
  input(length: number): number;
  answer(length: number): number;
  output(): number;
  output_len(): number;
}

let compiled: WebAssembly.Module;
let functions: Functions;

function instantiate(): void {
  functions = new WebAssembly.Instance(compiled).exports as unknown as Functions;
}

function answer({ path, question }: Asked): Reply {
  const input = encode(path, question);
  try {
    // The address first: it may make the memory grow, which detaches the former one.
    const at = functions.input(input.length);
    new Uint8Array(functions.memory.buffer, at, input.length).set(input);
    const status = functions.answer(input.length);
    const [start, length] = [functions.output(), functions.output_len()];
    return { status, json: new Uint8Array(functions.memory.buffer, start, length).slice() };
  } catch {
    // After an error in the module, its memory is in no defined state.
    instantiate();
    return { status: 500, json: new TextEncoder().encode(JSON.stringify({ detail: SERVICE.moduleFailed })) };
  }
}

onmessage = async ({ data }: MessageEvent<ArrayBuffer>) => {
  try {
    compiled = await WebAssembly.compile(data);
    instantiate();
  } catch (error) {
    postMessage(String(error));
    return;
  }
  onmessage = ({ data }: MessageEvent<Asked>) => {
    const reply = answer(data);
    postMessage(reply, { transfer: [reply.json.buffer] });
  };
  postMessage(null);
};
