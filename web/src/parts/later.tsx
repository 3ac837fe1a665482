/** Views that are loaded when they are opened, so that the first answer needs less. */

import { signal } from "@preact/signals";
import * as PARTS from "../words/parts";
import { Empty, Waiting } from "./bits";

type Component = () => preact.JSX.Element;

/** Returns a component that loads another one when it is shown for the first time. */
export function later(load: () => Promise<Component>): Component {
  const found = signal<Component | "failed" | null>(null);
  let isLoading = false;
  const start = (): void => {
    isLoading = true;
    load().then(
      (component) => (found.value = component),
      // A browser remembers that it failed, so that only a new page can try again.
      () => (found.value = "failed"),
    );
  };
  return function Later() {
    if (!isLoading) start();
    const View = found.value;
    if (View === "failed") {
      return (
        <Empty title={PARTS.notLoadedTitle}>
          <p>{PARTS.notLoadedRemedy}</p>
        </Empty>
      );
    }
    return View === null ? <Waiting /> : <View />;
  };
}
