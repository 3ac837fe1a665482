/** The choices of the view Write that another view can make. */

import { signal } from "@preact/signals";

/** The kind of site; empty for none. */
export const preset = signal("");
export const blocksTraining = signal(false);
export const prefers = signal(false);

/** The kind of site that consists of two choices. */
export const NO_TRAINING = "block-ai-training";

/** Chooses a kind of site, and the choices that it consists of, so that these can be seen and changed. */
export function choose(name: string): void {
  if (name === NO_TRAINING || preset.value === NO_TRAINING) {
    blocksTraining.value = name === NO_TRAINING;
    prefers.value = name === NO_TRAINING;
  }
  preset.value = name;
}
